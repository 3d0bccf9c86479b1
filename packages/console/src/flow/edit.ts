/**
 * Edits of a flow as commands that can be done, undone and done again, also when somebody else's work has come in between
 * (`merge.ts`). `drafts.ts` keeps the history of what a tab has done.
 */
import type { JsonValue, Node, Port } from '@flow-service/client-sdk'

import { type Doc, freeName, isJsonObject, isSame, messagesOf, nodeOf, type Place, qualified } from './document.ts'
import { merge } from './merge.ts'

export interface Command {
  /** For people: `Delete hook`. */
  readonly title: string
  readonly do: (doc: Doc) => Doc
  readonly undo: (doc: Doc) => Doc
  /** Edits of the same thing in a row, as letters that are typed, are one command. */
  readonly of: string | null
}

/** Changes a document; gives the same one back when there is nothing to change. */
export type Edit = (doc: Doc) => Doc

/** What an edit does to this document, as a command; null when it does nothing. */
export function command(title: string, doc: Doc, edit: Edit, of: string | null = null): Command | null {
  const after = edit(doc)
  return after === doc || isSame(after, doc) ? null : between(title, doc, after, of)
}

const between = (title: string, before: Doc, after: Doc, of: string | null): Command => ({
  title,
  of,
  do: (doc) => moved(doc, before, after),
  undo: (doc) => moved(doc, after, before),
})

/** Goes from one form to the other, in a document that others may have changed meanwhile. */
const moved = (doc: Doc, from: Doc, to: Doc): Doc => (isSame(doc, from) ? to : merge(from, to, doc).doc)

export interface History {
  readonly done: readonly Command[]
  readonly undone: readonly Command[]
}

export const emptyHistory: History = { done: [], undone: [] }

/** Commands that can be undone. */
const MOST = 200

export function remembered({ done }: History, next: Command): History {
  const last = done.at(-1)
  if (last && next.of !== null && last.of === next.of) {
    const both: Command = { ...last, do: (doc) => next.do(last.do(doc)), undo: (doc) => last.undo(next.undo(doc)) }
    return { done: [...done.slice(0, -1), both], undone: [] }
  }
  return { done: [...done, next].slice(-MOST), undone: [] }
}

/** The last command and the history without it; null when there is none. */
export function toUndo({ done, undone }: History): { readonly command: Command; readonly history: History } | null {
  const last = done.at(-1)
  return last ? { command: last, history: { done: done.slice(0, -1), undone: [...undone, last] } } : null
}

export function toRedo({ done, undone }: History): { readonly command: Command; readonly history: History } | null {
  const last = undone.at(-1)
  return last ? { command: last, history: { done: [...done, last], undone: undone.slice(0, -1) } } : null
}

/* What can be done. */

const withNode = (doc: Doc, id: string, change: (node: Node) => Node): Doc => ({
  ...doc,
  nodes: doc.nodes.map((node) => (node.id === id ? change(node) : node)),
})

const withPlaces = (doc: Doc, places: Readonly<Record<string, Place>>): Doc => ({
  ...doc,
  layout: { ...doc.layout, nodes: { ...doc.layout.nodes, ...places } },
})

export const addNode =
  (node: Node, place: Place | null): Edit =>
  (doc) => {
    const added = { ...doc, nodes: [...doc.nodes, node] }
    return place === null ? added : withPlaces(added, { [node.id]: place })
  }

export const deleteNodes =
  (ids: ReadonlySet<string>): Edit =>
  (doc) => ({
    ...doc,
    nodes: doc.nodes.filter(({ id }) => !ids.has(id)),
    layout: { ...doc.layout, nodes: without(doc.layout.nodes ?? {}, ids) },
  })

const without = <T>(of: Readonly<Record<string, T>>, keys: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(of).filter(([key]) => !keys.has(key)))

export const moveNodes =
  (places: Readonly<Record<string, Place>>): Edit =>
  (doc) =>
    withPlaces(doc, Object.fromEntries(Object.entries(places).filter(([id]) => nodeOf(doc, id))))

/** Another id for a node. Wires stay: they are names of messages. */
export const renameNode =
  (id: string, next: string): Edit =>
  (doc) => {
    const place = doc.layout.nodes?.[id]
    const renamed = withNode(doc, id, (node) => ({ ...node, id: next }))
    const places = without(doc.layout.nodes ?? {}, new Set([id]))
    return {
      ...renamed,
      layout: { ...doc.layout, nodes: place === undefined ? places : { ...places, [next]: place } },
    }
  }

export const setNode =
  (id: string, fields: Partial<Omit<Node, 'id' | 'ports' | 'settings'>>): Edit =>
  (doc) =>
    withNode(doc, id, (node) => ({ ...node, ...fields }))

/** Undefined takes a setting away: it has its default then. */
export const setSetting =
  (id: string, path: readonly string[], value: JsonValue | undefined): Edit =>
  (doc) =>
    withNode(doc, id, (node) => {
      const settings = putAt(node.settings, path, value)
      return { ...node, settings: isJsonObject(settings) ? settings : {} }
    })

/** A value with another one at a place in it. */
export function putAt(into: JsonValue, path: readonly string[], value: JsonValue | undefined): JsonValue | undefined {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (Array.isArray(into)) {
    const items = into.map((item, at) => (String(at) === key ? putAt(item, rest, value) : item))
    if (Number(key) === into.length && value !== undefined) items.push(putAt({}, rest, value))
    return items.filter((item) => item !== undefined)
  }
  const members = isJsonObject(into) ? into : {}
  const was = Object.hasOwn(members, key) ? members[key] : undefined
  const next = rest.length === 0 ? value : putAt(was ?? {}, rest, value)
  // in its place: the order of a table is what somebody has typed
  if (was !== undefined)
    return Object.fromEntries(
      Object.entries(members).flatMap(([name, old]) => {
        const now = name === key ? next : old
        return now === undefined ? [] : [[name, now] as const]
      }),
    )
  return next === undefined ? members : Object.fromEntries([...Object.entries(members), [key, next]])
}

export const addPort =
  (id: string, port: Port): Edit =>
  (doc) =>
    withNode(doc, id, (node) => ({ ...node, ports: [...node.ports, port] }))

export const deletePort =
  (id: string, at: number): Edit =>
  (doc) =>
    withNode(doc, id, (node) => ({ ...node, ports: node.ports.filter((_, index) => index !== at) }))

const withPort = (doc: Doc, id: string, at: number, change: (port: Port) => Port): Doc =>
  withNode(doc, id, (node) => ({
    ...node,
    ports: node.ports.map((port, index) => (index === at ? change(port) : port)),
  }))

export const setPort =
  (id: string, at: number, fields: Partial<Omit<Port, 'name' | 'message'>>): Edit =>
  (doc) =>
    withPort(doc, id, at, (port) => ({ ...port, ...fields }))

/** The message of an input: this is what draws a wire, or cuts it. */
export const wirePort =
  (flow: string, id: string, at: number, name: string): Edit =>
  (doc) =>
    withPort(doc, id, at, (port) => ({ ...port, name, message: qualified(flow, name) }))

/** Another name for the message of an output: whoever reads it in this flow goes on reading it. */
export const renameMessage =
  (flow: string, id: string, at: number, name: string): Edit =>
  (doc) => {
    const from = nodeOf(doc, id)?.ports[at]
    if (!from) return doc
    const message = qualified(flow, name)
    const hasOthers = doc.nodes.some((node) =>
      node.ports.some(
        (port, index) =>
          port.direction === 'output' && port.message === from.message && !(node.id === id && index === at),
      ),
    )
    const follows = (node: Node, port: Port, index: number): boolean =>
      (node.id === id && index === at) || (!hasOthers && port.direction === 'input' && port.message === from.message)
    return {
      ...doc,
      outputs: hasOthers ? doc.outputs : doc.outputs.map((out) => (out.name === from.name ? { ...out, name } : out)),
      nodes: doc.nodes.map((node) => ({
        ...node,
        ports: node.ports.map((port, index) => (follows(node, port, index) ? { ...port, name, message } : port)),
      })),
    }
  }

/** Where a wire ends, as a canvas tells it. */
export interface End {
  readonly node: string
  readonly port: string
}

const indexOf = (doc: Doc, end: End, direction: Port['direction']): number =>
  nodeOf(doc, end.node)?.ports.findIndex((port) => port.direction === direction && port.port === end.port) ?? -1

/** Draws a wire: the input reads what the output publishes. An input of the flow itself has no node. */
export const connect =
  (flow: string, from: End, to: End): Edit =>
  (doc) => {
    const source = nodeOf(doc, from.node)?.ports[indexOf(doc, from, 'output')]
    const name = source?.name ?? doc.inputs.find((input) => !nodeOf(doc, from.node) && input.name === from.port)?.name
    const at = indexOf(doc, to, 'input')
    return name !== undefined && at >= 0 ? wirePort(flow, to.node, at, name)(doc) : doc
  }

/** Cuts the wires to an input: it reads a message that nothing produces. */
export const disconnect =
  (flow: string, to: End): Edit =>
  (doc) => {
    const at = indexOf(doc, to, 'input')
    const port = nodeOf(doc, to.node)?.ports[at]
    if (!port) return doc
    const stem = port.port.replaceAll(/\W/g, '_').replace(/^(?=\d)|^$/, '_')
    return wirePort(flow, to.node, at, freeName(stem, messagesOf(doc)))(doc)
  }

export const setFlow =
  (fields: Partial<Omit<Doc, 'nodes' | 'layout'>>): Edit =>
  (doc) => ({ ...doc, ...fields })

/** What is copied: nodes with their places, as text that any other program may read. */
export interface Clip {
  readonly nodes: readonly Node[]
  readonly places: Readonly<Record<string, Place>>
}

export const clipOf = (doc: Doc, ids: ReadonlySet<string>, places: Readonly<Record<string, Place>>): string =>
  JSON.stringify(
    {
      nodes: doc.nodes.filter(({ id }) => ids.has(id)),
      places: Object.fromEntries(Object.entries(places).filter(([id]) => ids.has(id))),
    },
    null,
    2,
  )

/** What a text holds that was copied; null of any other text. */
export function clipIn(copied: string): Clip | null {
  let said: unknown
  try {
    said = JSON.parse(copied)
  } catch {
    return null
  }
  if (!isJsonObject(said) || !Array.isArray(said['nodes'])) return null
  const nodes = said['nodes'].filter(isNode)
  if (nodes.length === 0 || nodes.length < said['nodes'].length) return null
  const places: [string, Place][] = Object.entries(isJsonObject(said['places']) ? said['places'] : {}).flatMap(
    ([id, place]) =>
      isJsonObject(place) && typeof place['x'] === 'number' && typeof place['y'] === 'number'
        ? [[id, { x: place['x'], y: place['y'] }]]
        : [],
  )
  return { nodes, places: Object.fromEntries(places) }
}

const isNode = (value: unknown): value is Node =>
  isJsonObject(value) &&
  typeof value['id'] === 'string' &&
  typeof value['type'] === 'string' &&
  isJsonObject(value['settings']) &&
  Array.isArray(value['ports']) &&
  value['ports'].every(
    (port) =>
      isJsonObject(port) &&
      (port['direction'] === 'input' || port['direction'] === 'output') &&
      typeof port['name'] === 'string',
  )

/** So far from what was copied: it is seen that there are two. */
const ASIDE = 40

/** The ids that nodes get which are pasted; those that are free stay. */
export function pastedIds(doc: Doc, { nodes }: Clip): ReadonlyMap<string, string> {
  const taken = new Set(doc.nodes.map(({ id }) => id))
  return new Map(
    nodes.map(({ id }) => {
      const next = freeName(id, taken)
      taken.add(next)
      return [id, next]
    }),
  )
}

/**
 * Puts copied nodes in. Wires between them lead among the copies; an output gets a message of its own where the flow has one
 * of that name, and inputs that read something else go on reading it.
 */
export const paste =
  (flow: string, clip: Clip, by = { x: ASIDE, y: ASIDE }): Edit =>
  (doc) => {
    const ids = pastedIds(doc, clip)
    const taken = messagesOf(doc)
    const names = new Map<string, string>()
    for (const { ports } of clip.nodes) {
      for (const { direction, name } of ports) {
        if (direction !== 'output' || name.includes('.') || names.has(name)) continue
        const next = freeName(name, taken)
        taken.add(next)
        names.set(name, next)
      }
    }
    const nodes = clip.nodes.map((node): Node => ({
      ...node,
      id: ids.get(node.id) ?? node.id,
      ports: node.ports.map((port) => {
        const name = names.get(port.name) ?? port.name
        return { ...port, name, port: port.port ?? port.name, message: qualified(flow, name) }
      }),
    }))
    const places = [...ids].flatMap(([id, next]) => {
      const place = clip.places[id]
      return place ? [[next, { x: place.x + by.x, y: place.y + by.y }] as const] : []
    })
    return withPlaces({ ...doc, nodes: [...doc.nodes, ...nodes] }, Object.fromEntries(places))
  }
