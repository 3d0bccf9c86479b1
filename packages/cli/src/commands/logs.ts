/**
 * `service runs logs` and `service flows logs`: what nodes have printed, and print. The event socket only says when there is
 * more; the text is asked for by its offset, so that nothing is missed or shown twice, whatever becomes of the socket.
 * @module
 */
import { ApiError, type Client } from '@flow-service/client-sdk'
import type { EventFrame, NodeLogs } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { printable } from '../table.ts'
import { bold, dim } from '../terminal.ts'

interface LogFlags extends ClientFlags {
  readonly follow?: boolean
  readonly lines?: number
}

/** Whose logs they are. */
interface Subject {
  readonly nodes: readonly string[]
  readonly read: (node: string, after: number) => Promise<NodeLogs>
  /** What the socket is limited to. */
  readonly heard: { readonly flows: readonly string[]; readonly runs?: readonly string[] }
  /** A run has an end; a live flow goes on when it is started again. */
  readonly ends: boolean
  /** Where text is that is not kept any more. */
  readonly elsewhere: (node: string) => string
}

/** With this silence of the socket everything is asked for again: another engine may execute the run. */
const LOOK_EVERY_MS = 3000

/** `service runs logs <id> [node]`. */
export async function runLogs(id: string, node: string | undefined, flags: LogFlags): Promise<void> {
  const client = connect(flags)
  const run = await client.runs.get(id)
  const nodes = chosen(
    run.nodes.map((one) => one.node),
    node,
    `run ${id}`,
  )
  await show(client, flags, {
    nodes,
    read: (of, after) => client.runs.nodeLogs(id, of, { after }),
    heard: { flows: [run.flow], runs: [id] },
    ends: true,
    elsewhere: (of) => `all of it is the artifact ${of}.log of the run once the node has ended`,
  })
}

/** `service flows logs <flow> [node]`. */
export async function flowLogs(name: string, node: string | undefined, flags: LogFlags): Promise<void> {
  const client = connect(flags)
  const flow = await client.flows.get(name)
  if (flow.mode === 'batch') {
    throw new CommandFailure(1, `flow "${name}" is a batch flow: see service runs logs, with the id of one of its runs`)
  }
  const nodes = chosen(
    flow.nodes.map(({ id }) => id),
    node,
    `flow "${name}"`,
  )
  await show(client, flags, {
    nodes,
    read: (of, after) => client.flows.nodes.logs(name, of, { after }),
    heard: { flows: [name] },
    ends: false,
    elsewhere: () => 'the engine keeps the last 64 KiB of a node',
  })
}

function chosen(known: readonly string[], node: string | undefined, where: string): readonly string[] {
  if (node === undefined) return known
  if (known.includes(node)) return [node]
  throw new CommandFailure(1, `${where} has no node "${node}"; its nodes: ${known.join(', ') || 'none'}`)
}

async function show(client: Client, flags: LogFlags, subject: Subject): Promise<void> {
  const printer = new LogPrinter(subject, flags)
  for (const node of subject.nodes) {
    // oxlint-disable-next-line no-await-in-loop -- one node after the other, as they are printed
    await printer.catchUp(node)
  }
  if (flags.follow) await followLogs(client, subject, printer)
  printer.end()
}

/** Prints what comes until the run has ended, or at Ctrl-C. */
async function followLogs(client: Client, { nodes, heard, ends }: Subject, printer: LogPrinter): Promise<void> {
  const stop = new AbortController()
  const interrupt = (): void => stop.abort()
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  const waiting = new Set<string>()
  let printing = Promise.resolve()
  const print = async (): Promise<void> => {
    for (const node of waiting) {
      waiting.delete(node)
      // oxlint-disable-next-line no-await-in-loop -- what is printed comes in an order
      await printer.catchUp(node)
    }
    if (ends && nodes.every((node) => printer.hasEnded(node))) stop.abort()
  }
  const look = (wanted: readonly string[]): void => {
    const isPrinting = waiting.size > 0
    for (const node of wanted) waiting.add(node)
    if (!isPrinting) printing = printing.then(print).catch((error: unknown) => stop.abort(error))
  }
  const timer = setInterval(() => look(nodes.filter((node) => !printer.hasEnded(node))), LOOK_EVERY_MS)
  try {
    look(nodes)
    for await (const frame of client.events({ ...heard, kinds: ['log', 'run', 'node'], signal: stop.signal })) {
      look(nodes.filter((node) => concerns(frame, node)))
    }
    await printing
  } finally {
    clearInterval(timer)
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
  if (stop.signal.reason instanceof Error && stop.signal.reason.name !== 'AbortError') throw stop.signal.reason
}

/** Whether there may be more of a node: a frame without one is the first of a socket, or tells of the whole run. */
const concerns = (frame: EventFrame, node: string): boolean => !('node' in frame) || frame.node === node

interface Place {
  next: number
  /** The beginning of a line whose end has not come yet. */
  open: string
  ended: boolean
}

/** Prints parts of logs; of several nodes whole lines, each with its node. */
class LogPrinter {
  readonly #subject: Subject
  readonly #flags: LogFlags
  readonly #places = new Map<string, Place>()
  readonly #width: number

  constructor(subject: Subject, flags: LogFlags) {
    this.#subject = subject
    this.#flags = flags
    this.#width = Math.max(0, ...subject.nodes.map((node) => node.length))
  }

  hasEnded(node: string): boolean {
    return this.#places.get(node)?.ended ?? false
  }

  /**
   * Prints what there is of a node behind what was printed. A node that begins to print may do so because others have ended
   * since they were read: what they have printed comes first.
   */
  async catchUp(node: string): Promise<void> {
    const isFirst = !this.#places.has(node)
    const place = this.#places.get(node) ?? { next: 0, open: '', ended: false }
    this.#places.set(node, place)
    const begins = place.next === 0
    const parts: NodeLogs[] = []
    do {
      // oxlint-disable-next-line no-await-in-loop -- a part begins where the one before ends
      const part = await this.#read(node, place.next)
      parts.push(part)
      place.next = part.next
      place.ended = part.ended
    } while (parts.at(-1)?.text !== '')
    if (begins && place.next > 0 && this.#subject.ends) await this.#catchUpOthers(node)
    this.#tell(node, place, parts, isFirst)
  }

  /** Prints the beginnings of lines that have no end. */
  end(): void {
    for (const [node, place] of this.#places) {
      if (place.open !== '') this.#line(node, place.open)
      place.open = ''
    }
  }

  /** Prints what is left of the nodes of a run that were printing when they were read. */
  async #catchUpOthers(node: string): Promise<void> {
    for (const [other, { next, ended }] of this.#places) {
      // oxlint-disable-next-line no-await-in-loop -- one node after the other, as they are printed
      if (other !== node && next > 0 && !ended) await this.catchUp(other)
    }
  }

  async #read(node: string, after: number): Promise<NodeLogs> {
    try {
      return await this.#subject.read(node, after)
    } catch (error) {
      // another life of the engine counts from 0 again
      if (after > 0 && error instanceof ApiError && error.status === 422) return this.#subject.read(node, 0)
      throw error
    }
  }

  #tell(node: string, place: Place, parts: readonly NodeLogs[], isFirst: boolean): void {
    const { json, lines } = this.#flags
    if (json) {
      const told = parts.filter(({ text }) => text !== '')
      for (const part of told.length === 0 && isFirst ? parts : told) console.log(JSON.stringify(part))
      return
    }
    const [first] = parts
    if (first?.cut && lines === undefined) {
      console.error(dim(`[what ${node} printed before is not kept here; ${this.#subject.elsewhere(node)}]`))
    }
    const text = place.open + parts.map((part) => part.text).join('')
    const whole = text.split('\n')
    place.open = whole.pop() ?? ''
    if (place.ended && place.open !== '') whole.push(place.open)
    if (place.ended) place.open = ''
    for (const line of isFirst && lines !== undefined ? whole.slice(-lines) : whole) this.#line(node, line)
  }

  #line(node: string, line: string): void {
    const text = printable(line.endsWith('\r') ? line.slice(0, -1) : line)
    console.log(this.#subject.nodes.length > 1 ? `${bold(node.padEnd(this.#width))} ${dim('|')} ${text}` : text)
  }
}
