/**
 * A run on a terminal: its nodes as a tree that follows the data, each with its state, its time and the newest numbers
 * of its streams, painted over itself until the run is over.
 * @module
 */
import type { Flow } from '@flow-service/client-sdk'
import type { EventFrame } from '@flow-service/protocol'

import { number } from './curve.ts'
import { type Paper, Painting } from './painting.ts'
import type { RunScreen } from './run-progress.ts'
import { duration, oneLine } from './table.ts'
import { dim, green, red, yellow } from './terminal.ts'

type NodeFrame = Extract<EventFrame, { type: 'node' }>
type ValueFrame = Extract<EventFrame, { type: 'value' }>

interface Branch {
  readonly id: string
  readonly depth: number
  status: string
  cached: boolean
  error: string | null
  startedMs: number | null
  endedMs: number | null
  /** Newest values of its streams, by message. */
  readonly values: Map<string, number[]>
}

const MARKS: Readonly<Record<string, string>> = {
  pending: dim('○'),
  queued: yellow('◌'),
  running: yellow('●'),
  ok: green('✓'),
  error: red('✗'),
  skipped: dim('–'),
  cancelled: dim('⊘'),
}
const BARS = '▁▂▃▄▅▆▇█'
/** Values that a line shows as bars. */
const SHOWN = 24
const PAINT_EVERY_MS = 100

/** The nodes of one run. */
export class RunTree implements RunScreen {
  readonly #branches: Map<string, Branch>
  readonly #painting: Painting
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined

  constructor(document: Pick<Flow, 'nodes'>, paper: Paper, now: () => number = () => performance.now()) {
    this.#branches = new Map(branchesOf(document).map((branch) => [branch.id, branch]))
    this.#painting = new Painting(paper)
    this.#now = now
  }

  begin(): void {
    this.#timer = setInterval(() => this.paint(), PAINT_EVERY_MS).unref()
  }

  node({ node, status, cached, error }: NodeFrame): void {
    const branch = this.#branches.get(node)
    if (branch === undefined) return
    const isOver = status !== 'pending' && status !== 'queued' && status !== 'running'
    if (status === 'running') branch.startedMs ??= this.#now()
    if (isOver) branch.endedMs ??= this.#now()
    Object.assign(branch, { status, cached, error: error?.message ?? null })
  }

  value({ node, message, value }: ValueFrame): void {
    const values = this.#branches.get(node ?? '')?.values
    if (values === undefined || typeof value !== 'number') return
    values.set(message, [...(values.get(message) ?? []), value].slice(-SHOWN))
  }

  /** One line a node. */
  lines(): string[] {
    return [...this.#branches.values()].map((branch) => {
      const { id, depth, status, cached, startedMs, endedMs } = branch
      const seconds = startedMs === null ? null : ((endedMs ?? this.#now()) - startedMs) / 1000
      const time = cached ? 'cached' : seconds === null ? '' : duration(seconds)
      const name = `${'  '.repeat(depth)}${MARKS[status] ?? ' '} ${id}`
      return `  ${name}  ${dim(time)}  ${news(branch)}`.trimEnd()
    })
  }

  /** Paints over what was painted before. */
  paint(): void {
    this.#painting.paint(this.lines())
  }

  end(): void {
    clearInterval(this.#timer)
    this.paint()
  }
}

function news({ error, values }: Branch): string {
  if (error !== null) return red(oneLine(error, 80))
  return [...values].map(([message, list]) => `${message} ${bars(list)} ${number(list.at(-1) ?? 0)}`).join('  ')
}

/** The finite values as bars from their lowest to their highest. */
export function bars(values: readonly number[]): string {
  const finite = values.filter((value) => Number.isFinite(value))
  const [low, high] = [Math.min(...finite), Math.max(...finite)]
  const place = (value: number): number => (high === low ? 0 : Math.round(((value - low) / (high - low)) * 7))
  return finite.map((value) => BARS[place(value)]).join('')
}

/** The nodes in the order of their data: each below what it reads from. */
function branchesOf({ nodes }: Pick<Flow, 'nodes'>): Branch[] {
  const producers = new Map<string, string>()
  for (const { id, ports } of nodes) {
    for (const { direction, name } of ports) if (direction === 'output') producers.set(name, id)
  }
  const reads = new Map(
    nodes.map(({ id, ports }) => [
      id,
      ports.flatMap(({ direction, name }) => (direction === 'input' ? (producers.get(name) ?? []) : [])),
    ]),
  )
  const depths = new Map<string, number>()
  const depthOf = (id: string): number => {
    const known = depths.get(id)
    if (known !== undefined) return known
    depths.set(id, 0)
    const depth = Math.max(0, ...(reads.get(id) ?? []).map((before) => depthOf(before) + 1))
    depths.set(id, depth)
    return depth
  }
  return nodes
    .map(({ id }) => ({ id, depth: depthOf(id) }))
    .toSorted((a, b) => a.depth - b.depth)
    .map((place) => ({
      ...place,
      status: 'pending',
      cached: false,
      error: null,
      startedMs: null,
      endedMs: null,
      values: new Map<string, number[]>(),
    }))
}
