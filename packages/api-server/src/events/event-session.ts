/**
 * One event socket: what it was asked to tell, and what it is told of that.
 *
 * It is *opening* until its snapshot is sent and *open* afterwards. While it opens, events are gathered, so that nothing is
 * missed between the snapshot and the first event.
 * @module
 */
import type { Duplex } from 'node:stream'

import type { Clock } from '@flow-service/core'
import { type EngineEvent, type FrameKind, flowPart } from '@flow-service/protocol'
import type { WebSocket } from 'ws'

import type { Refusal } from './client-frame.ts'
import { CLOSE_BYTES, EventReader } from './event-reader.ts'
import type { EngineSnapshot } from './event-replay.ts'
import { type EventText, runOf } from './event-text.ts'
import { EventWindow, type WindowOptions } from './event-window.ts'
import { type FindFrame, type Media, mediaOf } from './media.ts'
import { WRITE_BYTES } from './shared-frames.ts'

/** What a socket is told. */
export interface Interest {
  /** Null for all flows. */
  readonly flows: ReadonlySet<string> | null
  readonly kinds: ReadonlySet<FrameKind>
  /** What of runs is limited to; null for all. What is about no run is told in any case. */
  readonly runs?: ReadonlySet<string> | null
  /** How events are gathered; null for each at once. */
  readonly window?: WindowOptions | null
}

/** An accepted socket and the connection below it, whose writes are gathered. */
export interface Connection {
  readonly socket: WebSocket
  readonly wire: Pick<Duplex, 'cork' | 'on' | 'uncork' | 'write'>
}

interface Opening {
  readonly kind: 'opening'
  readonly gathered: EventText[]
  /** Bytes of what is gathered. */
  size: number
  /** Answers to what the client said meanwhile; the snapshot comes first. */
  readonly answers: Refusal[]
}

/** A socket with what it was asked for. */
export interface Session extends Connection {
  readonly reader: EventReader
  /** Null where each event is told at once. */
  readonly window: EventWindow | null
  readonly interest: Interest
  state: Opening | { readonly kind: 'open' }
  media: ReadonlySet<string>
}

/** Where the media of messages are. */
export interface ShownMedia {
  /** What a message carries now, if anything; `ts` is null while nobody has published it. */
  readonly current: (message: string) => { readonly value: unknown; readonly ts: string | null } | undefined
  readonly frame: FindFrame
}

const TRY_AGAIN_LATER = 1013

/** What a socket needs of the engine. */
interface SessionDeps {
  /** For its window. */
  readonly clock: Pick<Clock, 'setTimer'>
  /** Takes the next number of the engine. */
  readonly next: () => number
}

/** An accepted socket that waits for its snapshot. */
export function newSession(connection: Connection, interest: Interest, { clock, next }: SessionDeps): Session {
  const { socket, wire } = connection
  const { window = null } = interest
  const reader = new EventReader(socket, { wire, next, batched: window !== null })
  return {
    ...connection,
    reader,
    window: window && new EventWindow(clock, window, (items) => gathered(wire, () => reader.events(items))),
    interest,
    state: { kind: 'opening', gathered: [], size: 0, answers: [] },
    media: new Set(),
  }
}

/** Keeps an event for a socket that has no snapshot yet; the snapshot has the values of live flows. */
export function gather({ socket, state }: Session, text: EventText): void {
  if (state.kind === 'open' || socket.readyState !== socket.OPEN) return
  if (text.event.type === 'value' && text.event.run === null) return
  state.gathered.push(text)
  state.size += text.tail.length + bytesOf(text.media)
  if (state.size > CLOSE_BYTES) socket.close(TRY_AGAIN_LATER, 'the snapshot takes too long; connect again')
}

/** Tells a socket the events that concern it, many in one write. */
export function tellAll(session: Session, texts: readonly EventText[]): void {
  const { reader, window, wire } = session
  let size = 0
  wire.cork()
  for (const text of texts) {
    if (!concerns(session, text.event, text.flows)) continue
    const media = asksFor(session, text.event) ? text.media : null
    if (window) {
      window.add({ text, media })
      continue
    }
    reader.event(text, media)
    size += text.tail.length + bytesOf(media)
    if (size < WRITE_BYTES) continue
    // what is corked counts as waiting, so that a burst would look like a slow reader
    wire.uncork()
    wire.cork()
    size = 0
  }
  wire.uncork()
}

/** Sends the media of what messages carry now: a viewer waits for no next value. */
export function showMedia({ reader, wire }: Session, names: Iterable<string>, { current, frame }: ShownMedia): void {
  gathered(wire, () => {
    for (const message of names) {
      const { value, ts } = current(message) ?? { value: null, ts: null }
      const media = ts === null ? null : mediaOf({ message, value, ts }, frame)
      if (media) reader.media(media)
    }
  })
}

/** Makes one write of all that `send` sends. */
export function gathered(wire: Connection['wire'], send: () => void): void {
  wire.cork()
  send()
  wire.uncork()
}

/** Bytes of media, if there are any. */
export const bytesOf = (media: Media | null): number => media?.bytes.length ?? 0

/** Whether a socket is told of an event: by its interest, or as a value whose media it asks for. */
export const concerns = (session: Session, event: EngineEvent, flows: readonly string[]): boolean =>
  isWithin(session.interest, event, flows) || asksFor(session, event)

/** Whether an interest has an event. */
export function isWithin(
  { flows: wanted, kinds, runs = null }: Interest,
  event: EngineEvent,
  flows: readonly string[],
): boolean {
  if (!kinds.has(event.type) || (wanted !== null && !flows.some((flow) => wanted.has(flow)))) return false
  const run = runs && runOf(event)
  return !runs || run === null || runs.has(run)
}

const asksFor = ({ media }: Session, event: EngineEvent): boolean => event.type === 'value' && media.has(event.message)

/** The part of a snapshot that a socket is told. */
export function limitTo({ flows, kinds, runs = null }: Interest, snapshot: EngineSnapshot): EngineSnapshot {
  const of = <T>(kind: FrameKind, items: T[], flowOf: (item: T) => string): T[] =>
    kinds.has(kind) ? items.filter((item) => flows === null || flows.has(flowOf(item))) : []
  return {
    flows: of('flow', snapshot.flows, ({ name }) => name),
    nodes: of('node', snapshot.nodes, ({ flow }) => flow),
    values: of('value', snapshot.values, ({ message }) => flowPart(message)),
    health: of('health', snapshot.health, ({ flow }) => flow),
    runs: of('run', snapshot.runs, ({ flow }) => flow).filter(({ id }) => runs === null || runs.has(id)),
  }
}
