/**
 * The message catalogue: what published flows declare, with last values and history (wire decision G28).
 * @module
 */
import { DtypeViolation } from '@flow-service/connector-sdk'
import {
  accepts,
  describeValue,
  type FlowMode,
  flowPart,
  type Json,
  type Message,
  type MessageHistoryEntry,
  type PublishedMessage,
} from '@flow-service/protocol'

import { invalid, ProblemError } from '../http/errors.ts'
import { createCurrentValues, type Initials } from './current-values.ts'
import type { LastValues } from './last-values.ts'
import type { HistoryPage, HistoryRow } from './store.ts'

/** A message that a published flow declares. */
export interface DeclaredMessage extends Omit<Message, 'value' | 'ts'> {
  readonly mode: FlowMode
}

/** What published flows declare. */
export interface MessageCatalogue extends Initials {
  declared(): Iterable<DeclaredMessage>
  /** By qualified name. */
  find(name: string): DeclaredMessage | undefined
  /** Settles when a flow that is given another name has it; undefined for all others. */
  changing(flow: string): Promise<unknown> | undefined
}

/** What another engine is to publish. */
export interface FarPublication {
  /** Qualified. */
  readonly message: string
  readonly value: Json
  readonly place?: Place | undefined
}

/** An output of a node. */
interface Place {
  readonly node: string
  readonly port: string
}

/** What the catalogue is made of. */
export interface MessagesDeps {
  readonly lastValues: LastValues
  readonly catalogue: MessageCatalogue
  /**
   * Delivers a value to the active flows that read it, having recorded it with the last values. `cascade` is null when
   * nothing reads it. `place` is the output that it is credited to. Throws `DtypeViolation`.
   */
  readonly publish: (message: string, value: unknown, place?: Place) => { readonly cascade: string | null }
  /** Hears of values that are of another dtype. */
  readonly refused?: (refusal: {
    readonly flow: string
    readonly node: string | null
    readonly message: string
  }) => void
  /** Has the engine publish that runs the flow of a message, when that is another one; null: it is to be published here. */
  readonly elsewhere?: ((value: FarPublication) => Promise<PublishedMessage | null>) | undefined
  /** Resolves once the work that active flows have kept so far is committed: deliveries that a paused flow holds. */
  readonly committed: () => Promise<void>
  /** Resolves when the values of flows that other engines run are known; there are none unless given. */
  readonly look?: () => Promise<void>
}

/** The message catalogue. Names are qualified; a bare one is taken when a single flow declares it. */
export interface Messages {
  /** All declared messages by name. */
  list(): Promise<Message[]>
  /**
   * Publishes from outside, credited to `place` if it is given, and resolves once the value is committed, with the deliveries that paused flows hold of it;
   * works while the flow is stopped.
   * Refuses with `message_not_declared`, `wrong_mode` or `validation_failed`.
   */
  publish(name: string, value: Json, place?: Place): Promise<PublishedMessage>
  /** A page of history, newest first; refuses with `message_not_declared`. */
  history(name: string, page: HistoryPage): Promise<MessageHistoryEntry[]>
}

/** Values that flows of other engines publish. */
export interface FarMessages {
  /** These messages, by qualified name, are followed here beside those that flows read; others no more. Does not wait. */
  watch(messages: readonly string[]): void
}

/** How devices publish. */
export interface DeviceMessages {
  /** As {@link Messages.publish}; refuses with `forbidden` what no port of the device sends. */
  publish(device: string, message: string, value: Json): Promise<PublishedMessage>
}

/** The catalogue over last values. */
export function createMessages({
  lastValues,
  catalogue,
  publish,
  refused,
  committed,
  elsewhere,
  look,
}: MessagesDeps): Messages {
  const values = createCurrentValues(lastValues, catalogue)
  return {
    async list() {
      await look?.()
      return [...catalogue.declared()]
        .map(({ mode: _mode, ...declared }): Message => {
          const now = values.get(declared.name)
          return { ...declared, value: (now?.value ?? null) as Message['value'], ts: now?.ts ?? null }
        })
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    },

    async publish(name, value, place) {
      const { name: message, dtype, mode } = await resolveSettled(catalogue, name)
      if (mode === 'batch') {
        const detail = `${message} belongs to a batch flow, whose values come from its runs: start a run instead`
        throw new ProblemError('wrong_mode', detail)
      }
      if (!accepts(dtype, value)) {
        const why = `${message} takes ${dtype}, not ${describeValue(value)}`
        refused?.({ flow: flowPart(message), node: place?.node ?? null, message: why })
        throw offDtype(why)
      }
      const passed = await elsewhere?.({ message, value, place })
      if (passed) return passed
      const { cascade } = publishChecked(() => publish(message, value, place))
      const recorded = lastValues.get(message)
      if (!recorded) throw new Error(`the published value of ${message} was not recorded`)
      await Promise.all([lastValues.commit(message), committed()])
      return { name: message, value: recorded.value as PublishedMessage['value'], ts: recorded.ts, cascade }
    },

    async history(name, page) {
      const { name: message } = resolve(catalogue, name)
      return (await lastValues.history(message, page)).map(entryOf)
    },
  }
}

/** As `resolve`, once the flow has the name that it is to have. */
async function resolveSettled(catalogue: MessageCatalogue, name: string): Promise<DeclaredMessage> {
  const found = resolve(catalogue, name)
  const change = catalogue.changing(found.flow)
  if (change === undefined) return found
  await change
  return resolveSettled(catalogue, name)
}

function resolve(catalogue: MessageCatalogue, name: string): DeclaredMessage {
  const found = catalogue.find(name)
  if (found) return found
  const named = name.includes('.') ? [] : [...catalogue.declared()].filter(({ message }) => message === name)
  if (named.length === 1 && named[0]) return named[0]
  if (named.length > 1) {
    const names = named.map((message) => message.name).toSorted()
    throw new ProblemError(
      'message_not_declared',
      `"${name}" is declared by several flows: use one of ${names.join(', ')}`,
    )
  }
  const remedy = name.includes('.') ? remedyIn(catalogue, flowPart(name)) : 'use "flow.message"'
  throw new ProblemError('message_not_declared', `no published flow declares the message "${name}": ${remedy}`)
}

/** What the flow of an unknown message has, or that there is no such flow. */
function remedyIn(catalogue: MessageCatalogue, flow: string): string {
  const names = [...catalogue.declared()].flatMap(({ name, message }) => (flowPart(name) === flow ? [message] : []))
  if (names.length === 0) return `publish a flow "${flow}" that declares it`
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return `flow "${flow}" has ${names.toSorted().slice(0, MAX_NAMED).join(', ')}${more}`
}

/** Messages that a refusal names. */
const MAX_NAMED = 20

function publishChecked<T>(publish: () => T): T {
  try {
    return publish()
  } catch (error) {
    throw error instanceof DtypeViolation ? offDtype(error.message) : error
  }
}

const offDtype = (message: string): ProblemError => invalid([{ path: '/value', code: 'off_dtype', message }])

function entryOf({ at, value, flow, node, port, run, cascade }: HistoryRow): MessageHistoryEntry {
  return {
    ts: at,
    value: value === null ? null : (JSON.parse(value) as MessageHistoryEntry['value']),
    truncated: value === null,
    source: flow === null || node === null || port === null ? null : { flow, node, port },
    run,
    cascade,
  }
}
