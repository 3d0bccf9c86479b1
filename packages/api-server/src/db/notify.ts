/**
 * Notification between engines: PostgreSQL's LISTEN and NOTIFY on a server; in process on the embedded database, which
 * one engine alone can have open.
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'

import type postgres from 'postgres'

import type { Database } from './backend.ts'

/** The notification part of a database. */
export type Notifier = Pick<Database, 'listen' | 'notify'>

/** NOTIFY refuses longer payloads (PostgreSQL manual, NOTIFY). */
const PAYLOAD_LIMIT = 7_999

/** Notification in process. */
export function localNotifier(): Notifier {
  const channels = new Map<string, Set<(payload: string) => void>>()
  return {
    async listen(channel, onPayload) {
      const listener = inOwnContext(onPayload)
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners.add(listener))
      return async () => void listeners.delete(listener)
    },
    async notify(channel, payload) {
      assertFits(channel, payload)
      for (const listener of channels.get(channel) ?? []) queueMicrotask(() => listener(payload))
    },
  }
}

/** Notification over a pool of its own: `listen` takes one connection of it, which the driver opens again when lost. */
export function serverNotifier(pool: postgres.Sql): Notifier {
  return {
    async listen(channel, onPayload, onReconnect) {
      let listened = false
      const request = await pool.listen(channel, inOwnContext(onPayload), () => {
        if (listened) onReconnect?.()
        listened = true
      })
      return () => request.unlisten()
    },
    async notify(channel, payload) {
      assertFits(channel, payload)
      await pool`select pg_notify(${channel}, ${payload})`
    },
  }
}

/** A payload arrives in the async context of whoever made the connection busy; its listener must not run in that. */
function inOwnContext(listener: (payload: string) => void): (payload: string) => void {
  const inContext = AsyncLocalStorage.snapshot()
  return (payload) => inContext(listener, payload)
}

function assertFits(channel: string, payload: string): void {
  const bytes = Buffer.byteLength(payload)
  if (bytes <= PAYLOAD_LIMIT) return
  throw new Error(
    `a notification on ${channel} has ${bytes} bytes, at most ${PAYLOAD_LIMIT} fit: store it, send its id`,
  )
}
