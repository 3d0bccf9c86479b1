/**
 * The published form of every flow, in memory: what messages and checks ask for at any time.
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import { type DeclaredMessage as OwnMessage, declaredMessages } from '@flow-service/core'
import { accepts, type FlowDocument, flowPart } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import type { DeclaredMessage, MessageCatalogue } from '../messages/messages.ts'
import { createFlowStore, type FlowRow } from './store.ts'
import { publishedContent } from './stored-content.ts'

/** The published flows, and the catalogue of the messages that they declare (G14). */
export interface PublishedFlows extends MessageCatalogue {
  get(name: string): FlowDocument | undefined
  /** All of them, by name. */
  all(): readonly FlowDocument[]
  /** The flow of a message by its qualified or bare name; null where none, or several, declare a bare one. */
  flowOf(message: string): string | null
  /** Whether a flow publishes a message, by its qualified name, that is another one's. */
  isPublishedByOthers(message: string): boolean
  /** Called with the name of one that comes, goes or has another content; the result ends that. */
  onChange(listener: (flow: string) => void): () => void
  /** The name that a flow has now, which had another one when it was read. */
  nameOf(id: string, known: string): string
}

/** The published flows, for who changes them. */
export interface PublishedFlowsOwner extends PublishedFlows {
  set(document: FlowDocument): void
  /** Takes the published form out of a row, if it holds one that can be read. */
  take(row: FlowRow): void
  remove(name: string): void
  /** Keeps what a flow is called from now on, for those who know it by an earlier name. */
  rename(id: string, name: string): void
  /** Has values from outside for the messages of a flow wait for a change of its name. */
  during<T>(flow: string, change: () => Promise<T>): Promise<T>
}

interface Entry {
  readonly document: FlowDocument
  readonly messages: ReadonlyMap<string, OwnMessage>
}

type Reader = DeclaredMessage['readers'][number]

/** The published flows of a database. */
export async function loadPublishedFlows(database: Pick<Database, 'sql'>): Promise<PublishedFlowsOwner> {
  const flows = createPublishedFlows()
  for (const row of await createFlowStore(database.sql).list()) flows.take(row)
  return flows
}

function createPublishedFlows(): PublishedFlowsOwner {
  const flows = new Map<string, Entry>()
  const newNames = new Map<string, string>()
  const changes = new Map<string, Promise<unknown>>()
  let readers: ReadonlyMap<string, readonly Reader[]> | null = null
  let initials: ReadonlyMap<string, unknown> | null = null
  let foreign: ReadonlySet<string> | null = null
  const listeners = new Set<(flow: string) => void>()
  const changed = (): void => {
    readers = null
    initials = null
    foreign = null
  }
  const tell = (flow: string): void => {
    for (const listener of listeners) listener(flow)
  }

  const describe = ({ document }: Entry, own: OwnMessage): DeclaredMessage => {
    readers ??= readersOf([...flows.values()].map((entry) => entry.document))
    const { name: flow, mode } = document
    return { ...own, flow, mode, sources: [...own.sources], readers: [...(readers.get(own.name) ?? [])] }
  }

  const set = (document: FlowDocument): void => {
    // a row is also read again when its flow starts
    const isNews = !isDeepStrictEqual(flows.get(document.name)?.document, document)
    changed()
    const messages = new Map(declaredMessages(document).map((message) => [message.name, message]))
    flows.set(document.name, { document, messages })
    if (isNews) tell(document.name)
  }

  return {
    get: (name) => flows.get(name)?.document,
    isPublishedByOthers: (message) =>
      (foreign ??= foreignOf([...flows.values()].map((entry) => entry.document))).has(message),
    flowOf(message) {
      if (message.includes('.')) return flowPart(message)
      const [first, ...others] = flowsWith(message, flows)
      return first === undefined || others.length > 0 ? null : first
    },
    all: () => [...flows.values()].map(({ document }) => document).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    dtypeOf: (message) => flows.get(flowPart(message))?.messages.get(message)?.dtype,
    declared: () =>
      [...flows.values()].flatMap((entry) => [...entry.messages.values()].map((own) => describe(entry, own))),
    find(name) {
      const entry = flows.get(flowPart(name))
      const own = entry?.messages.get(name)
      return entry && own && describe(entry, own)
    },
    initials: () => (initials ??= initialsOf([...flows.values()].map((entry) => entry.document))),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    changing: (flow) => changes.get(flow),
    nameOf: (id, known) => newNames.get(id) ?? known,
    set,
    take(row) {
      const content = publishedContent(row)
      if (content && !content.fault) set(content.document)
    },
    remove(name) {
      changed()
      flows.delete(name)
      tell(name)
    },
    rename(id, name) {
      newNames.set(id, name)
    },
    async during(flow, change) {
      const changed = change()
      changes.set(
        flow,
        changed.catch(() => {}),
      )
      try {
        return await changed
      } finally {
        changes.delete(flow)
      }
    },
  }
}

/** Names of the flows that declare a bare message. */
const flowsWith = (message: string, flows: ReadonlyMap<string, Entry>): string[] =>
  [...flows].flatMap(([name, { messages }]) => (messages.has(`${name}.${message}`) ? [name] : []))

/** Null is none (G17), as it is for the inputs of the flow itself. */
function initialsOf(documents: readonly FlowDocument[]): ReadonlyMap<string, unknown> {
  const live = documents.filter(({ mode }) => mode === 'live')
  return new Map(
    live.flatMap(({ name: flow, inputs }) =>
      inputs
        .filter(({ dtype, initial }) => initial !== null && accepts(dtype, initial))
        .map(({ name, initial }): [string, unknown] => [`${flow}.${name}`, initial]),
    ),
  )
}

/** Messages that outputs of other flows publish. */
function foreignOf(documents: readonly FlowDocument[]): ReadonlySet<string> {
  const outputs = documents.flatMap(({ name, nodes }) =>
    nodes.flatMap(({ ports }) =>
      ports.flatMap(({ direction, message }) =>
        direction === 'output' && flowPart(message) !== name ? [message] : [],
      ),
    ),
  )
  return new Set(outputs)
}

function readersOf(documents: readonly FlowDocument[]): ReadonlyMap<string, readonly Reader[]> {
  const inputs = documents.flatMap(({ name: flow, nodes }) =>
    nodes.flatMap(({ id: node, ports }) =>
      ports
        .filter(({ direction }) => direction === 'input')
        .map(({ message, port }) => ({ message, reader: { flow, node, port } })),
    ),
  )
  const groups = Map.groupBy(inputs, ({ message }) => message)
  return new Map([...groups].map(([message, found]) => [message, found.map(({ reader }) => reader)]))
}
