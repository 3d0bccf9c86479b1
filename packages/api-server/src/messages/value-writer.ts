/**
 * Puts values of messages into the database: last value, history, and the artifacts that either refers to.
 * @module
 */
import {
  artifactRefsIn,
  flowPart,
  MAX_HISTORY,
  MAX_HISTORY_VALUE_BYTES,
  messagePart,
  timestampOf,
} from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Sql } from '../db/database.ts'
import type { Fence } from '../engines/fence.ts'
import { boundedJson } from '../events/bounded-json.ts'
import type { PastValue } from './recent-values.ts'
import { type Batch, SentValues } from './sent-values.ts'
import type { HistoryKey, LastValueRow, MessageStore, PastValueRow } from './store.ts'

/** Longest last value that is kept, in bytes of JSON; a longer one is kept as null. */
const MAX_VALUE_BYTES = 64 * 1024 * 1024
/** A statement is ended when it has this many values, or characters of them. */
const STATEMENT_VALUES = 2_000
const STATEMENT_LENGTH = 4_000_000
/** History is trimmed once for so many values of a message; reading leaves out what is still to be trimmed. */
const TRIM_EVERY = 100

/** Writes values in the transaction it is given. */
export interface ValueWriter {
  write(tx: Sql, batches: readonly Batch[]): Promise<void>
  /** Drops history that is older than a week. */
  expire(tx: Sql): Promise<void>
  /** Removes all values of the messages of a flow. */
  remove(tx: Sql, flow: string): Promise<void>
  /** Gives the messages of a flow another flow's name; what that one had is removed. */
  rename(tx: Sql, names: { readonly from: string; readonly to: string }): Promise<void>
  /** Tells that the last value which the database holds for a message refers to artifacts. */
  holdsRefs(message: string): void
}

/** A batch as it is stored. */
interface Prepared {
  readonly message: string
  readonly last: LastValueRow
  readonly past: readonly PastValueRow[]
  /** Stored bytes that the values refer to, value by value. */
  readonly digests: readonly (readonly string[])[]
  /** Length of all JSON texts. */
  readonly length: number
}

/** A writer on the tables of the slice. */
export function createValueWriter(
  store: MessageStore,
  artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs' | 'moveRefs'>,
  fence?: Pick<Fence, 'refused' | 'refusedOf'>,
): ValueWriter {
  /** Messages whose last value referred to artifacts once. It never shrinks: a transaction may still be undone. */
  const withRefs = new Set<string>()
  const sent = new SentValues(store)

  const dropHistoryRefs = async (tx: Sql, rows: readonly HistoryKey[]): Promise<void> => {
    if (rows.length > 0) await artifacts.dropRefs(tx, 'history', rows.map(historyOwner))
  }

  const moveRefs = async (tx: Sql, { message, digests }: Prepared, newest: number): Promise<void> => {
    const last = digests.at(-1) ?? []
    if (!withRefs.has(message) && digests.every((list) => list.length === 0)) return
    for (const [index, list] of digests.entries()) {
      const owner = historyOwner({ message, seq: newest - digests.length + 1 + index })
      if (list.length > 0) await artifacts.addRefs(tx, 'history', owner, list)
    }
    if (withRefs.has(message)) await artifacts.dropRefs(tx, 'message', [message])
    if (last.length === 0) return
    withRefs.add(message)
    await artifacts.addRefs(tx, 'message', message, last)
  }

  const writeGroup = async (tx: Sql, group: readonly Prepared[]): Promise<void> => {
    const newest = await store.add(
      tx,
      group.map(({ last }) => last),
      group.flatMap(({ past }) => past),
    )
    for (const prepared of group) await moveRefs(tx, prepared, newest.get(prepared.message) ?? 0)
    const due = group.flatMap(({ message, past }) => {
      const seq = newest.get(message) ?? 0
      return seq % TRIM_EVERY < past.length && seq > MAX_HISTORY ? [[message, seq] as const] : []
    })
    if (due.length > 0) await dropHistoryRefs(tx, await store.trim(tx, due))
  }

  const remove = async (tx: Sql, flow: string): Promise<void> => {
    const { messages, withRefs: past } = await store.remove(tx, flow)
    await dropHistoryRefs(tx, past)
    if (messages.length > 0) await artifacts.dropRefs(tx, 'message', messages)
  }

  return {
    async write(tx, batches) {
      const own = fence === undefined ? batches : await allowed(tx, batches, fence)
      const fresh = await sent.unstored(tx, byMessage(own))
      for (const group of statements(fresh.map(prepare))) await writeGroup(tx, group)
    },
    async expire(tx) {
      await dropHistoryRefs(tx, await store.expire(tx))
    },
    remove,
    async rename(tx, { from, to }) {
      await remove(tx, to)
      await store.rename(tx, { from, to })
      for (const kind of ['message', 'history'] as const) {
        // oxlint-disable-next-line no-await-in-loop -- statements of one transaction
        await artifacts.moveRefs(tx, kind, { from: `${from}.`, to: `${to}.` })
      }
      const renamed = [...withRefs].filter((message) => flowPart(message) === from)
      for (const message of renamed) withRefs.add(`${to}.${messagePart(message)}`)
      sent.follow({ from, to })
    },
    holdsRefs(message) {
      withRefs.add(message)
    },
  }
}

/** The values of flows that this engine has; those of others are left out (fence.F1). */
async function allowed(
  tx: Sql,
  batches: readonly Batch[],
  fence: Pick<Fence, 'refused' | 'refusedOf'>,
): Promise<readonly Batch[]> {
  const refused = await fence.refusedOf(
    tx,
    new Set(batches.flatMap(({ values }) => values.map(({ source }) => source.flow))),
  )
  if (refused.size === 0) return batches
  return batches.flatMap(({ message, values }) => {
    const own = values.filter(({ source }) => !refused.has(source.flow))
    fence.refused += values.length - own.length
    return own.length > 0 ? [{ message, values: own }] : []
  })
}

/** Stored bytes that a value refers to; volatile ones are kept by nobody. */
export const digestsIn = (value: unknown): string[] =>
  artifactRefsIn(value).flatMap((ref) => (ref.volatile ? [] : [ref.digest]))

const historyOwner = ({ message, seq }: HistoryKey): string => `${message}#${seq}`

/** One batch a message, always in the same order, so that two engines do not wait for each other. */
function byMessage(batches: readonly Batch[]): Batch[] {
  const values = new Map<string, PastValue[]>()
  for (const batch of batches) {
    const list = values.get(batch.message) ?? []
    for (const value of batch.values) list.push(value)
    if (list.length > 0) values.set(batch.message, list)
  }
  const merged = [...values].map(([message, list]) => ({ message, values: list }))
  return merged.toSorted((a, b) => (a.message < b.message ? -1 : 1))
}

function prepare({ message, values }: Batch): Prepared {
  const digests = values.map(({ value }) => digestsIn(value))
  const past = values.map(({ us, value, source: { flow, node, port, run }, cascade }, index): PastValueRow => ({
    message,
    newer: values.length - 1 - index,
    us,
    value: boundedJson(value, MAX_HISTORY_VALUE_BYTES),
    ...(node === null ? { flow: null, node: null, port: null } : { flow, node, port }),
    run: run ?? null,
    cascade: cascade?.id ?? null,
    has_refs: (digests[index] ?? []).length > 0,
  }))
  const newest = values.at(-1)
  const text = past.at(-1)?.value ?? boundedJson(newest?.value, MAX_VALUE_BYTES) ?? 'null'
  return {
    message,
    last: { message, value: text, at: timestampOf(newest?.us ?? 0), count: values.length },
    past,
    digests,
    length: past.reduce((length, { value }) => length + (value?.length ?? 0), text.length),
  }
}

/** Groups what fits into one statement; a message is never divided. */
function statements(batches: readonly Prepared[]): Prepared[][] {
  const groups: Prepared[][] = []
  let group: Prepared[] = []
  let [values, length] = [0, 0]
  for (const batch of batches) {
    values += batch.past.length
    length += batch.length
    if (group.length === 0 || values > STATEMENT_VALUES || length > STATEMENT_LENGTH) {
      group = []
      groups.push(group)
      values = batch.past.length
      length = batch.length
    }
    group.push(batch)
  }
  return groups
}
