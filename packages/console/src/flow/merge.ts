/**
 * Brings two changed forms of a document together, where both began with the same one: by node id, by port, by field. What only
 * one has changed is taken; what both have changed differently is a conflict, in which mine stands and theirs is told.
 * `drafts.ts` uses it when somebody else has saved first, `edit.ts` to take back an edit that is not the last one.
 */
import type { JsonValue, Node } from '@flow-service/client-sdk'

import { type Doc, freeName, isJsonObject, isSame } from './document.ts'

/** A place that both have changed. Undefined is what is not there. */
export interface Conflict {
  /** Keys from the document on; items of lists by what they are called. */
  readonly path: readonly string[]
  readonly base: unknown
  readonly mine: unknown
  readonly theirs: unknown
}

export interface Merged {
  readonly doc: Doc
  readonly conflicts: readonly Conflict[]
  /** Nodes of mine that had to get another id, because both have added one of that id. */
  readonly renamed: Readonly<Record<string, string>>
}

/** What items of a list are told apart by; null for lists that are one value. */
type KeyOf = (item: Record<string, unknown>) => string
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function keyOf(path: readonly string[]): KeyOf | null {
  if (path.length === 1 && path[0] === 'nodes') return ({ id }) => text(id)
  if (path.length === 3 && path[0] === 'nodes' && path[2] === 'ports')
    return ({ direction, port }) => `${text(direction)} ${text(port)}`
  if (path.length === 1 && (path[0] === 'inputs' || path[0] === 'outputs')) return ({ name }) => text(name)
  return null
}

export function merge(base: Doc, mine: Doc, theirs: Doc): Merged {
  const renamed = renamesOf(base, mine, theirs)
  const conflicts: Conflict[] = []
  const merged = mergeValue({ base, mine: renamedIn(mine, renamed), theirs, path: [], conflicts })
  return { doc: merged as Doc, conflicts, renamed }
}

interface Three {
  readonly base: unknown
  readonly mine: unknown
  readonly theirs: unknown
  readonly path: readonly string[]
  /** Where what both have changed is put. */
  readonly conflicts: Conflict[]
}

function mergeValue(three: Three): unknown {
  const { base, mine, theirs, path, conflicts } = three
  if (isSame(mine, theirs) || isSame(base, theirs)) return mine
  if (isSame(base, mine)) return theirs
  const key = keyOf(path)
  if (key && [mine, theirs, base ?? []].every((list) => isKeyed(list, key))) return mergeList(three, key)
  if (isJsonObject(mine) && isJsonObject(theirs) && (base === undefined || isJsonObject(base))) {
    return mergeObject(base ?? {}, mine, theirs, three)
  }
  conflicts.push({ path, base, mine, theirs })
  // what was changed is more than what was taken away
  return mine === undefined ? theirs : mine
}

/** A list whose items can be told apart; two ports may be called the same for a while. */
const isKeyed = (list: unknown, keyOfItem: KeyOf): boolean =>
  Array.isArray(list) && new Set(list.map((item) => (isJsonObject(item) ? keyOfItem(item) : ''))).size === list.length

type Members = Readonly<Record<string, unknown>>

function mergeObject(base: Members, mine: Members, theirs: Members, { path, conflicts }: Three): Members {
  const merged: [string, unknown][] = []
  for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const value = mergeValue({
      base: own(base, key),
      mine: own(mine, key),
      theirs: own(theirs, key),
      path: [...path, key],
      conflicts,
    })
    if (value !== undefined) merged.push([key, value])
  }
  return Object.fromEntries(merged)
}

/** A setting may be called `constructor`. */
const own = (of: Members, key: string): unknown => (Object.hasOwn(of, key) ? of[key] : undefined)

function mergeList({ base, mine, theirs, path, conflicts }: Three, keyOfItem: KeyOf): unknown[] {
  const [was, here, there] = [base, mine, theirs].map((list) => byKey(list, keyOfItem)) as [Items, Items, Items]
  return orderOf([...was.keys()], [...here.keys()], [...there.keys()]).flatMap((key) => {
    const item = mergeValue({
      base: was.get(key),
      mine: here.get(key),
      theirs: there.get(key),
      path: [...path, key],
      conflicts,
    })
    return item === undefined ? [] : [item]
  })
}

type Items = ReadonlyMap<string, unknown>

const byKey = (list: unknown, keyOfItem: KeyOf): Items =>
  new Map((Array.isArray(list) ? list : []).map((item) => [isJsonObject(item) ? keyOfItem(item) : '', item]))

/**
 * All keys, those that are new behind the one that they were put behind. Who has changed the order decides it; where both
 * have, mine.
 */
function orderOf(was: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] {
  const known = new Set(was)
  const kept = (list: readonly string[]): string[] => list.filter((key) => known.has(key))
  const common = new Set(kept(mine).filter((key) => theirs.includes(key)))
  const isMoved = !isSame(
    kept(mine).filter((key) => common.has(key)),
    was.filter((key) => common.has(key)),
  )
  // those that one has taken away still have a place: the other one may have changed them
  const first = isMoved ? mine : theirs
  const spine = [...kept(first)]
  for (const key of was) if (!spine.includes(key)) spine.splice(placeOf(key, was, spine), 0, key)
  const [ours, others] = [mine, theirs].map((list) => addedBehind(list, known)) as [Added, Added]
  const seen = new Set<string>()
  return ['', ...spine]
    .flatMap((anchor) => {
      const [a = [], b = []] = [ours.get(anchor), others.get(anchor)]
      const added = (a[0] ?? '') < (b[0] ?? '') ? [...a, ...b] : [...b, ...a]
      return anchor === '' ? added : [anchor, ...added]
    })
    .filter((key) => !seen.has(key) && seen.add(key))
}

const placeOf = (key: string, was: readonly string[], spine: readonly string[]): number =>
  spine.indexOf(was[was.indexOf(key) - 1] ?? '') + 1

type Added = ReadonlyMap<string, readonly string[]>

function addedBehind(list: readonly string[], known: ReadonlySet<string>): Added {
  const added = new Map<string, string[]>()
  let anchor = ''
  for (const key of list) {
    if (known.has(key)) anchor = key
    else added.set(anchor, [...(added.get(anchor) ?? []), key])
  }
  return added
}

/** Two people who add a node of the same id have added two nodes. */
function renamesOf(base: Doc, mine: Doc, theirs: Doc): Record<string, string> {
  const before = new Set(base.nodes.map(({ id }) => id))
  const there = new Map(theirs.nodes.map((node) => [node.id, node]))
  const taken = new Set([...there.keys(), ...mine.nodes.map(({ id }) => id)])
  const renamed: [string, string][] = []
  for (const node of mine.nodes) {
    const other = there.get(node.id)
    if (before.has(node.id) || other === undefined || isSame(node, other)) continue
    const id = freeName(node.id, taken)
    taken.add(id)
    renamed.push([node.id, id])
  }
  return Object.fromEntries(renamed)
}

function renamedIn(doc: Doc, renamed: Readonly<Record<string, string>>): Doc {
  if (Object.keys(renamed).length === 0) return doc
  const next = (id: string): string => (Object.hasOwn(renamed, id) ? (renamed[id] ?? id) : id)
  const places = Object.entries(doc.layout.nodes ?? {}).map(([id, place]) => [next(id), place] as const)
  return {
    ...doc,
    nodes: doc.nodes.map((node): Node => ({ ...node, id: next(node.id) })),
    layout: { ...doc.layout, nodes: Object.fromEntries(places) },
  }
}

/** Takes what the others have at the place of a conflict. */
export function takeTheirs(doc: Doc, { path, theirs }: Conflict): Doc {
  return put(doc, path, theirs, []) as Doc
}

function put(into: unknown, path: readonly string[], value: unknown, at: readonly string[]): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const keyOfItem = keyOf(at)
  if (Array.isArray(into) && keyOfItem) {
    const known = into.some((item) => isJsonObject(item) && keyOfItem(item) === key)
    const items: unknown[] = known ? into : [...(into as unknown[]), undefined]
    return items.flatMap((item) => {
      const isIt = isJsonObject(item) ? keyOfItem(item) === key : item === undefined
      const next = isIt ? put(item, rest, value, [...at, key]) : item
      return next === undefined ? [] : [next]
    })
  }
  const members = Object.entries(isJsonObject(into) ? into : {}).filter(([name]) => name !== key)
  const next = put(isJsonObject(into) ? own(into, key) : undefined, rest, value, [...at, key])
  return Object.fromEntries(next === undefined ? members : [...members, [key, next as JsonValue]])
}

/** Where a conflict is, for people: `smooth: settings scale`. */
export function placeOfConflict({ path }: Pick<Conflict, 'path'>): string {
  const [part = '', item, ...rest] = path
  if (item === undefined) return part
  const words = rest.join(' ').replaceAll('ports ', '')
  if (part === 'nodes') return words === '' ? `node ${item}` : `node ${item}: ${words}`
  return [part, item, words].filter(Boolean).join(' ')
}
