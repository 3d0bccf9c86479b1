/**
 * Reads an object to its end, over connections that may break: it goes on behind what has come.
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'

import type { ByteRange } from '../byte-range.ts'
import { ChangedBytes, GoneBytes } from '../content-store.ts'
import { unavailable } from './s3-fault.ts'
import type { S3Objects, Sent } from './s3-objects.ts'
import { letGo } from './s3-transport.ts'

/** Breaks in a row without a byte between them. */
const BREAKS = 3
const PAUSE_MS = 100

/** The object is another version than was asked for. */
export class OtherVersion extends Error {
  override readonly name = 'OtherVersion'
}

/** What is read of an object of this many bytes. */
export interface Reading {
  readonly key: string
  readonly size: number
  /** Null is all of it. */
  readonly range: ByteRange | null
  /** The version that it has to be; any unless given. */
  readonly version?: string | undefined
}

/**
 * The bytes, piece by piece; `begun` is told what is sent, of each connection. Fails with `GoneBytes` when there is no object,
 * with `ChangedBytes` when it has another length, with {@link OtherVersion}, and with the refusal `unavailable`.
 */
export async function* readObject(
  objects: S3Objects,
  { key, size, range, version }: Reading,
  begun: (sent: Sent) => void,
): AsyncGenerator<Uint8Array> {
  const { first, last } = range ?? { first: 0, last: size - 1 }
  let at = first
  let breaks = 0
  do {
    const sent = await objects.get(key, {
      // an empty object has no range
      ...(range === null && at === first ? {} : { range: { first: at, last } }),
      ...(version === undefined ? {} : { version }),
    })
    assertSent(sent, key, last + 1 - at)
    begun(sent)
    try {
      for await (const piece of sent.body as AsyncIterable<Uint8Array>) {
        at += piece.length
        breaks = 0
        yield within(piece, at - last - 1, key)
      }
      if (at <= last) throw new Error('the store has sent less than it said')
    } catch (error) {
      if (error instanceof ChangedBytes) throw error
      breaks += 1
      if (breaks === BREAKS) throw unavailable(error)
      await pause(PAUSE_MS * breaks)
    }
  } while (at <= last)
}

/** A store that does not say how much it sends may send more. */
function within(piece: Uint8Array, over: number, key: string): Uint8Array {
  if (over <= 0) return piece
  throw new ChangedBytes(`the object ${key} is longer than what was stored`)
}

function assertSent(sent: Sent | 'changed' | null, key: string, size: number): asserts sent is Sent {
  if (sent === null) throw new GoneBytes(`there is no object ${key}`)
  if (sent === 'changed') throw new OtherVersion(`the object ${key} is another version than was hashed`)
  if (sent.size === null || sent.size === size) return
  letGo(sent.body)
  throw new ChangedBytes(`the object ${key} has another length than what was stored`)
}
