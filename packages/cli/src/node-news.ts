/**
 * What nodes print and what becomes of payloads, as lines while `service dev` runs. A flood stays readable: each kind of
 * news has a few lines at once and then a slow trickle a node, and how many lines were left out is said.
 * @module
 */
import { stripVTControlCharacters } from 'node:util'

import type { NodeFailed, NodeReport } from '@flow-service/api-server'

import { oneLine, printable } from './table.ts'
import { bold, counted, dim, green, red, yellow } from './terminal.ts'

/** Lines that may come at once, and how many of them are made up for each second. */
interface Allowance {
  readonly burst: number
  readonly perSecond: number
}

const printed: Allowance = { burst: 40, perSecond: 4 }
const others: Allowance = { burst: 5, perSecond: 0.5 }
/** What a node has printed without the end of the line is shown after so long. */
const PARTIAL_MS = 250
/** How often it is said what was left out. */
const LEFT_OUT_MS = 2000
/** Of a line or a message; a terminal holds some thousand of them. */
const MAX_CHARS = 2000
/** Frames of one failure. */
const MAX_FRAMES = 12

/** Shows reports of nodes; `print` takes one or several lines. */
export class NodeNews {
  readonly #print: (lines: string) => void
  readonly #budgets = new Map<string, Budget>()
  /** The last line of what each node has printed, while it may go on. */
  readonly #partial = new Map<string, Partial>()
  /** The failure that was shown last, by node. */
  readonly #failures = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(print: (lines: string) => void) {
    this.#print = print
  }

  hear(report: NodeReport): void {
    switch (report.is) {
      case 'print':
        this.#printed(report)
        break
      case 'failure':
        this.#failed(report)
        break
      case 'dropped':
        this.#show(report, others, droppedLine(report))
        break
      case 'refused':
        this.#show(report, others, `${yellow('!')} ${placeOf(report)}  refused: ${oneLine(report.text, MAX_CHARS)}`)
        break
      case 'health':
        this.#show(report, others, healthLine(report))
    }
  }

  /** Shows what is held back; nothing comes after it. */
  close(): void {
    clearTimeout(this.#timer)
    for (const key of this.#partial.keys()) this.#endLine(key)
    this.#tellLeftOut()
  }

  #printed(report: Extract<NodeReport, { is: 'print' }>): void {
    const key = keyOf(report)
    const lines = stripVTControlCharacters(`${this.#partial.get(key)?.text ?? ''}${report.text}`).split(/\r?\n/)
    const rest = lines.pop() ?? ''
    clearTimeout(this.#partial.get(key)?.timer)
    this.#partial.delete(key)
    for (const line of lines) this.#show(report, printed, printLine(report, line))
    if (rest === '') return
    if (rest.length > MAX_CHARS) return this.#show(report, printed, printLine(report, rest))
    const timer = setTimeout(() => this.#endLine(key), PARTIAL_MS)
    this.#partial.set(key, { report, text: rest, timer })
  }

  #endLine(key: string): void {
    const held = this.#partial.get(key)
    if (held === undefined) return
    clearTimeout(held.timer)
    this.#partial.delete(key)
    this.#show(held.report, printed, printLine(held.report, held.text))
  }

  #failed(report: NodeFailed): void {
    this.#endLine(keyOf(report))
    const key = `${report.flow} ${report.node}`
    const text = `${report.type} ${report.text} ${report.traceback ?? ''}`
    const isKnown = this.#failures.get(key) === text
    this.#failures.set(key, text)
    this.#show(report, others, isKnown ? failureLine(report, 'failed again') : failureLines(report).join('\n'))
  }

  #show(report: NodeReport, allowance: Allowance, lines: string): void {
    // runs of a flow that come one after the other flood a terminal as one that goes on does
    const key = `${report.flow} ${report.node} ${report.is}`
    let budget = this.#budgets.get(key)
    if (budget === undefined) {
      budget = new Budget(allowance)
      this.#budgets.set(key, budget)
    }
    if (budget.take()) this.#print(lines)
    else {
      budget.leftOut = { report, lines: (budget.leftOut?.lines ?? 0) + 1 }
      this.#timer ??= setTimeout(() => this.#tellLeftOut(), LEFT_OUT_MS)
    }
  }

  #tellLeftOut(): void {
    this.#timer = undefined
    for (const budget of this.#budgets.values()) {
      if (budget.leftOut) this.#print(leftOutLine(budget.leftOut))
      budget.leftOut = null
    }
  }
}

interface Partial {
  readonly report: NodeReport
  readonly text: string
  readonly timer: NodeJS.Timeout
}

interface LeftOut {
  readonly report: NodeReport
  readonly lines: number
}

/** What a node may still show of one kind. */
class Budget {
  /** The last report that was not shown, and how many lines were not. */
  leftOut: LeftOut | null = null
  readonly #allowance: Allowance
  #left: number
  #atMs = performance.now()

  constructor(allowance: Allowance) {
    this.#allowance = allowance
    this.#left = allowance.burst
  }

  take(): boolean {
    const nowMs = performance.now()
    const { burst, perSecond } = this.#allowance
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#atMs) / 1000) * perSecond)
    this.#atMs = nowMs
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}

const keyOf = ({ flow, node, run }: NodeReport): string => `${run ?? flow} ${node}`

const placeOf = ({ flow, node }: NodeReport): string => bold(node === null ? flow : `${flow}.${node}`)

const printLine = (report: NodeReport, line: string): string =>
  `${dim('›')} ${placeOf(report)}  ${cut(printable(line.replaceAll('\t', '  ')))}`.trimEnd()

const cut = (line: string): string =>
  line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)} ${dim(`… ${line.length - MAX_CHARS} characters more`)}` : line

const failureLine = (report: NodeFailed, how: string): string =>
  `${red('✗')} ${placeOf(report)}  ${red(`${how}: ${report.type}: ${oneLine(report.text, MAX_CHARS)}`)}`

function failureLines(report: NodeFailed): string[] {
  const place = report.traceback === null ? null : userPlace(report.traceback)
  return [
    failureLine(report, place === null ? 'failed' : `failed at ${place}`),
    ...(report.traceback === null ? [] : frameLines(report.traceback)),
    ...(report.run === null ? [] : [dim(`    run ${report.run}: service runs show ${report.run}`)]),
  ]
}

/** Frames of JavaScript, and of Python with the line of its source. */
const jsFrame = /^\s+at .*?\(?((?:file:\/\/)?[^\s()]+:\d+:\d+)\)?$/
const pythonFrame = /^\s+File "([^"]+)", line (\d+)/
const isLibrary = (line: string): boolean => /node_modules|[\\/](?:site|dist)-packages[\\/]/.test(line)

/** Where the author's own code failed: the innermost frame that is of no package. */
function userPlace(traceback: string): string | null {
  const lines = traceback.split('\n').filter((line) => !isLibrary(line))
  const js = lines.map((line) => jsFrame.exec(line)?.[1]).find((place) => place !== undefined)
  if (js !== undefined) return printable(js)
  // Python tells its innermost frame last
  const python = lines.map((line) => pythonFrame.exec(line)).findLast((found) => found !== null)
  return python ? printable(`${python[1]}:${python[2]}`) : null
}

/** The frames of a traceback without what its failure says already; packages stand back. */
function frameLines(traceback: string): string[] {
  const lines = traceback.split('\n').filter((line) => line.trim() !== '')
  const first = lines.findIndex((line) => jsFrame.test(line) || pythonFrame.test(line))
  if (first < 0) return []
  const isPython = pythonFrame.test(lines[first] ?? '')
  const from = lines.slice(first)
  // an error of Python ends with its message, which is told; those before it are its causes
  const frames = isPython ? from.slice(0, /^\s/.test(from.at(-1) ?? '') ? undefined : -1) : from
  const shown = isPython ? frames.slice(-2 * MAX_FRAMES) : frames.slice(0, MAX_FRAMES)
  const left = frames.length - shown.length
  const more = left === 0 ? [] : [dim(`    … ${counted(left, 'line')} more`)]
  const texts = shown.map((line) => {
    const text = `    ${cut(printable(line.trimEnd())).replace(/^ {4}(?=at )/, '')}`
    return isLibrary(line) ? dim(text) : text
  })
  return isPython ? [...more, ...texts] : [...texts, ...more]
}

const reasons: Record<Extract<NodeReport, { is: 'dropped' }>['reason'], string> = {
  crash: 'the engine ended while it was executed',
  overflow: 'its queue is full',
  expired: 'it has waited too long',
  loop_limit: 'its cascade has executed too often; break the loop with a passive input',
  lease: 'the engines that executed it are gone',
  stopped: 'its flow was stopped',
}

function droppedLine(report: Extract<NodeReport, { is: 'dropped' }>): string {
  const { flow, node, message, reason } = report
  const what = message === null ? 'a request to act' : printable(message)
  const verb = `service dead-letter list --flow ${flow}${node === '' ? '' : ` --node ${node}`}`
  const place = node === '' ? bold(flow) : placeOf(report)
  return `${yellow('!')} ${place}  ${yellow(`dropped ${what}: ${reasons[reason]}`)} ${dim(`(${reason}; ${verb})`)}`
}

function healthLine(report: Extract<NodeReport, { is: 'health' }>): string {
  const { health, text } = report
  const paint = health === 'ok' ? green : health === 'down' ? red : yellow
  return `${paint(health === 'ok' ? '✓' : '!')} ${placeOf(report)}  ${paint(`is ${health}`)}${text === null ? '' : `: ${oneLine(text, MAX_CHARS)}`}`
}

function leftOutLine({ report, lines }: LeftOut): string {
  const whole = report.run === null ? '' : `; service runs show ${report.run} has more of it`
  const what = {
    print: counted(lines, 'line'),
    failure: counted(lines, 'failure'),
    dropped: `${lines} dropped`,
    refused: `${lines} refused`,
    health: counted(lines, 'change') + ' of health',
  }[report.is]
  return dim(`… ${report.flow}${report.node ? `.${report.node}` : ''}  ${what} left out here${whole}`)
}
