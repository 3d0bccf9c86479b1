/**
 * Where the cards of a small graph stand and how its wires run: in columns from left to right, each node behind those that it
 * reads. `mini-graph.tsx` draws it; it knows nothing of pages or engines.
 */
export interface GraphNode {
  readonly id: string
  readonly title: string
  /** Below the title, for those who know the kinds. */
  readonly type: string
  /** A state of `Status`. */
  readonly status: string
}

export interface GraphWire {
  readonly from: string
  /** Null when no node of the graph reads it. */
  readonly to: string | null
  readonly message: string
  /** In place of the message, where it is drawn. */
  readonly label?: string
}

export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly wires: readonly GraphWire[]
}

export interface Place {
  readonly x: number
  readonly y: number
  readonly height: number
}

export interface DrawnWire {
  readonly wire: GraphWire
  /** Of an SVG. */
  readonly path: string
}

/** What a node gives: once, however many nodes read it. */
export interface Outlet {
  readonly message: string
  readonly label: string
  readonly x: number
  readonly y: number
}

export interface Layout {
  readonly places: ReadonlyMap<string, Place>
  readonly wires: readonly DrawnWire[]
  readonly outlets: readonly Outlet[]
  readonly width: number
  readonly height: number
}

export const CARD_WIDTH = 184
/** Between columns: a name and a value stand there. */
export const GAP = 112
const [CARD_HEIGHT, PITCH, BETWEEN, MARGIN] = [48, 34, 18, 8]
/** Of a wire that passes a column. */
const PASS_HEIGHT = 10
const SWEEPS = 4

/** A card of a column, or a wire that passes it. */
interface Slot {
  readonly key: string
  readonly column: number
  readonly height: number
  y: number
}

interface Link {
  readonly from: Slot
  readonly to: Slot
}

export function layoutOf({ nodes, wires }: Graph): Layout {
  const known = new Set(nodes.map(({ id }) => id))
  const drawn = wires.filter(({ from, to }) => known.has(from) && (to === null || known.has(to)))
  const outs = portsBy(drawn, ({ from, message }) => [from, message])
  const ins = portsBy(drawn, ({ to, message }) => [to, message])
  const heightOf = (id: string): number =>
    Math.max(CARD_HEIGHT, PITCH * Math.max(outs.get(id)?.length ?? 0, ins.get(id)?.length ?? 0))
  const tied = new Set(drawn.flatMap(({ from, to }) => (to === null ? [from] : [from, to])))
  const columns = columnsOf([...tied], drawn)
  const slots = new Map(
    [...columns].map(([id, column]) => [id, { key: id, column, height: heightOf(id), y: 0 } satisfies Slot]),
  )
  const { chains, passes, links } = chainsOf(drawn, slots)
  const rows = rowsOf([...slots.values(), ...passes])
  order(rows, links)
  const bottom = stack(rows, links)
  const alone = nodes.filter(({ id }) => !tied.has(id))
  const places = new Map<string, Place>()
  for (const [id, { column, y, height }] of slots)
    places.set(id, { x: MARGIN + column * (CARD_WIDTH + GAP), y: MARGIN + y, height })
  const end = placeAlone(alone, places, { columns: Math.max(rows.length, 4), top: tied.size === 0 ? 0 : bottom })
  const outlets = [...outs].flatMap(([id, messages]) =>
    messages.map((message) => {
      const label = drawn.find((wire) => wire.from === id && wire.message === message)?.label ?? message
      return { message, label, ...portAt(places, outs, id, message) }
    }),
  )
  const ends = { places, outs, ins }
  return {
    places,
    outlets: outlets.map((outlet) => ({ ...outlet, x: outlet.x + CARD_WIDTH })),
    wires: drawn.map((wire) => ({ wire, path: pathOf(wire, ends, chains.get(wire) ?? []) })),
    width: widthOf(places, drawn),
    height: MARGIN + end + MARGIN + (drawn.some((wire) => isBack(wire, places)) ? BETWEEN : 0),
  }
}

type Ports = ReadonlyMap<string, readonly string[]>

function portsBy(wires: readonly GraphWire[], of: (wire: GraphWire) => [string | null, string]): Ports {
  const ports = new Map<string, string[]>()
  for (const wire of wires) {
    const [id, message] = of(wire)
    if (id === null) continue
    const messages = ports.get(id) ?? []
    if (!messages.includes(message)) messages.push(message)
    ports.set(id, messages)
  }
  return ports
}

/** The column of each node: behind all that it reads, where the graph has no circle. */
function columnsOf(ids: readonly string[], wires: readonly GraphWire[]): ReadonlyMap<string, number> {
  const after = new Map<string, string[]>()
  for (const { from, to } of wires) if (to !== null && to !== from) after.set(from, [...(after.get(from) ?? []), to])
  const sorted: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const ahead = new Map<string, string[]>()
  const visit = (id: string): void => {
    state.set(id, 'open')
    const next: string[] = []
    for (const to of after.get(id) ?? []) {
      // a wire back to where it came from puts nothing behind anything
      if (state.get(to) === 'open') continue
      if (!state.has(to)) visit(to)
      next.push(to)
    }
    ahead.set(id, next)
    state.set(id, 'done')
    sorted.unshift(id)
  }
  const read = new Set(wires.map(({ to }) => to))
  for (const id of [...ids.filter((one) => !read.has(one)), ...ids]) if (!state.has(id)) visit(id)
  const columns = new Map(ids.map((id) => [id, 0]))
  for (const id of sorted)
    for (const to of ahead.get(id) ?? []) columns.set(to, Math.max(columns.get(to) ?? 0, (columns.get(id) ?? 0) + 1))
  return columns
}

/** Wires from column to column: those over several get a slot in each that they pass, so that they cross no card. */
function chainsOf(wires: readonly GraphWire[], slots: ReadonlyMap<string, Slot>) {
  const chains = new Map<GraphWire, readonly Slot[]>()
  const passes: Slot[] = []
  const links: Link[] = []
  for (const wire of wires) {
    const [from, to] = [slots.get(wire.from), slots.get(wire.to ?? '')]
    if (!from || !to || to.column <= from.column) continue
    const chain: Slot[] = []
    for (let column = from.column + 1; column < to.column; column += 1)
      chain.push({ key: `${wire.from}>${wire.to}`, column, height: PASS_HEIGHT, y: 0 })
    const all = [from, ...chain, to]
    for (const [at, slot] of all.slice(1).entries()) links.push({ from: all[at] ?? from, to: slot })
    passes.push(...chain)
    chains.set(wire, chain)
  }
  return { chains, passes, links }
}

function rowsOf(slots: readonly Slot[]): Slot[][] {
  const rows: Slot[][] = []
  for (const slot of slots) (rows[slot.column] ??= []).push(slot)
  return rows
}

/** Orders each column by where its neighbours stand, there and back, which takes out most crossings. */
function order(rows: readonly Slot[][], links: readonly Link[]): void {
  const place = new Map<Slot, number>()
  const number = (row: readonly Slot[]): void => row.forEach((slot, at) => place.set(slot, at))
  rows.forEach(number)
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForth = sweep % 2 === 0
    const near = neighbours(links, isForth)
    for (const row of isForth ? rows : rows.toReversed()) {
      const wish = new Map(row.map((slot) => [slot, mean(near.get(slot), (one) => place.get(one) ?? 0)]))
      row.sort((a, b) => (wish.get(a) ?? place.get(a) ?? 0) - (wish.get(b) ?? place.get(b) ?? 0))
      number(row)
    }
  }
}

/** Stacks columns, each slot as near to its neighbours as the others let it; the result is where the last one ends. */
function stack(rows: readonly Slot[][], links: readonly Link[]): number {
  for (const row of rows) settle(row, () => undefined)
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const near = neighbours(links, sweep % 2 === 0)
    for (const row of sweep % 2 === 0 ? rows : rows.toReversed())
      settle(row, (slot) => {
        const middle = mean(near.get(slot), (one) => one.y + one.height / 2)
        return middle === undefined ? undefined : middle - slot.height / 2
      })
  }
  const all = rows.flat()
  const top = Math.min(...all.map(({ y }) => y))
  for (const slot of all) slot.y -= top
  return Math.max(0, ...all.map(({ y, height }) => y + height))
}

/** Puts the slots of a column where they wish to be, in their order; who has no wish follows the one before. */
function settle(row: readonly Slot[], wishOf: (slot: Slot) => number | undefined): void {
  let free = -Infinity
  let pushed = 0
  const wishes = row.map((slot) => wishOf(slot))
  row.forEach((slot, at) => {
    const wish = wishes[at] ?? (free === -Infinity ? slot.y : free)
    slot.y = Math.max(wish, free)
    pushed += slot.y - wish
    free = slot.y + slot.height + BETWEEN
  })
  // those below were pushed down: the column moves up by half of it, so that its middle stays
  for (const slot of row) slot.y -= pushed / row.length / 2
}

function neighbours(links: readonly Link[], isBefore: boolean): ReadonlyMap<Slot, readonly Slot[]> {
  const near = new Map<Slot, Slot[]>()
  for (const { from, to } of links) {
    const [slot, other] = isBefore ? [to, from] : [from, to]
    near.set(slot, [...(near.get(slot) ?? []), other])
  }
  return near
}

const mean = (of: readonly Slot[] | undefined, value: (slot: Slot) => number): number | undefined =>
  of === undefined ? undefined : of.reduce((sum, one) => sum + value(one), 0) / of.length

/** Nodes that are tied to none stand below the others, side by side; the result is where the last of them ends. */
function placeAlone(
  nodes: readonly GraphNode[],
  places: Map<string, Place>,
  { columns, top }: { readonly columns: number; readonly top: number },
): number {
  if (nodes.length === 0) return top
  const start = top === 0 ? 0 : top + BETWEEN
  nodes.forEach(({ id }, at) => {
    const x = MARGIN + (at % columns) * (CARD_WIDTH + BETWEEN)
    places.set(id, { x, y: MARGIN + start + Math.floor(at / columns) * (CARD_HEIGHT + BETWEEN), height: CARD_HEIGHT })
  })
  return start + Math.ceil(nodes.length / columns) * (CARD_HEIGHT + BETWEEN) - BETWEEN
}

/** Where a port of a card is: all of a side are spread over its height. */
function portAt(places: ReadonlyMap<string, Place>, ports: Ports, id: string, message: string) {
  const { x, y, height } = places.get(id) ?? { x: 0, y: 0, height: 0 }
  const of = ports.get(id) ?? []
  return { x, y: y + (height * (of.indexOf(message) + 0.5)) / of.length }
}

interface Ends {
  readonly places: ReadonlyMap<string, Place>
  readonly outs: Ports
  readonly ins: Ports
}

function pathOf({ from, to, message }: GraphWire, { places, outs, ins }: Ends, chain: readonly Slot[]): string {
  const out = portAt(places, outs, from, message)
  const start = { x: out.x + CARD_WIDTH, y: out.y }
  if (to === null) return `M${start.x} ${round(start.y)}h${GAP - 16}`
  const end = portAt(places, ins, to, message)
  if (end.x <= start.x) {
    const low =
      Math.max(...[from, to].map((id) => places.get(id)).map((one) => (one ? one.y + one.height : 0))) + BETWEEN
    return `M${start.x} ${round(start.y)}C${start.x + 64} ${round(low)} ${end.x - 64} ${round(low)} ${end.x} ${round(end.y)}`
  }
  let at = start
  let path = `M${at.x} ${round(at.y)}`
  const bend = (x: number, y: number): void => {
    const half = (x - at.x) / 2
    path += `C${at.x + half} ${round(at.y)} ${x - half} ${round(y)} ${x} ${round(y)}`
    at = { x, y }
  }
  for (const { column, y, height } of chain) {
    const x = MARGIN + column * (CARD_WIDTH + GAP)
    bend(x, MARGIN + y + height / 2)
    path += `h${CARD_WIDTH}`
    at = { x: x + CARD_WIDTH, y: at.y }
  }
  bend(end.x, end.y)
  return path
}

const isBack = ({ from, to }: GraphWire, places: ReadonlyMap<string, Place>): boolean =>
  to !== null && (places.get(to)?.x ?? 0) <= (places.get(from)?.x ?? 0)

function widthOf(places: ReadonlyMap<string, Place>, wires: readonly GraphWire[]): number {
  const ends = [...places.values()].map(({ x }) => x + CARD_WIDTH)
  const stubs = wires.filter(({ to }) => to === null).map(({ from }) => (places.get(from)?.x ?? 0) + CARD_WIDTH + GAP)
  return Math.max(0, ...ends, ...stubs) + MARGIN
}

const round = (value: number): number => Math.round(value * 10) / 10
