/**
 * The event socket: shows a client the state of the engine and then every change of it (wire decisions G46, V19, V20).
 *
 * Events are serialised when they happen, and told to the open sockets at the end of the turn of the event loop: a
 * cascade is one write a socket, not one an event. With many bytes of media they are told at once.
 *
 * A client may ask for media of messages (G47): it is told their values whatever its `flows` and `kinds` are, each after
 * the bytes that it refers to, and the bytes of the current value on its request.
 * @module
 */
import { randomUUID } from 'node:crypto'

import type { Clock } from '@flow-service/core'
import { type EngineEvent, timestampOfMs } from '@flow-service/protocol'
import type { WebSocket } from 'ws'

import type { Guest, SocketGuests } from '../http/socket-guests.ts'
import type { Log } from '../process/log.ts'
import { Audiences } from './audiences.ts'
import { readClientFrame } from './client-frame.ts'
import type { EventBus, EventListener } from './event-bus.ts'
import { COALESCE_BYTES } from './event-reader.ts'
import { type EngineSnapshot, newsSince } from './event-replay.ts'
import {
  bytesOf,
  concerns,
  type Connection,
  gather,
  gathered,
  type Interest,
  limitTo,
  newSession,
  type Session,
  showMedia,
  type ShownMedia,
  tellAll,
} from './event-session.ts'
import { type EventText, eventText, flowsOf } from './event-text.ts'
import { createFrameBudget } from './frame-budget.ts'
import { LogPace } from './log-pace.ts'
import { type Media, mediaOf } from './media.ts'
import { type WantedListener, WantedMedia } from './wanted-media.ts'

/** What the sockets need of the engine. */
export interface EventSocketsDeps extends ShownMedia {
  readonly bus: EventBus
  readonly engineVersion: string
  /**
   * Reads what is stored; the result adds what memory holds, as it is when it is called. Must not lag behind the events
   * that were published before.
   */
  readonly snapshot: () => Promise<() => EngineSnapshot>
  /** Whether a published flow declares a message of this qualified name. */
  readonly isMessage: (name: string) => boolean
  readonly guests: Pick<SocketGuests, 'admit'>
  readonly log: Pick<Log, 'error'>
  /** For the pace of what nodes print. */
  readonly clock: Clock
  /** A clock in milliseconds for what clients may send; the machine's unless given. */
  readonly now?: () => number
}

/** The open event sockets. */
export interface EventSockets {
  /**
   * Serves an accepted socket. It is closed with 1008 when its user has too many, and as soon as a request of theirs would
   * be refused.
   */
  serve(connection: Connection, interest: Interest, guest: Guest): void
  /** The messages whose media some client has asked for. */
  wantedMedia(): ReadonlySet<string>
  /** Tells of each change of them, by a request or a socket that closes; the result ends that. */
  onWantedMedia(listener: WantedListener): () => void
  /** What the open sockets ask for altogether. */
  readonly interests: Pick<Audiences, 'onChange' | 'together'>
  /** How many are open. */
  count(): number
}

const POLICY_VIOLATION = 1008
const INTERNAL_ERROR = 1011
/** How long a client that floods the engine has to take notice of its end, in milliseconds. */
const FLOOD_CLOSE_MS = 2000

/** Event sockets on a bus. An event is serialised once, and only while somebody listens to its flow. */
export function createEventSockets(deps: EventSocketsDeps): EventSockets {
  const audiences = new Audiences()
  const opening = new Set<Session>()
  const [engine, next, timestampAt] = [randomUUID(), () => (seq += 1), createTimestamps()]
  let seq = 0
  const wanted = new WantedMedia((error) => deps.log.error({ err: error }, 'a listener of wanted media failed'))
  const turn = createTurn((texts) => audiences.tell(texts))
  let unsubscribe: (() => void) | null = null
  const logs = new LogPace(deps.clock, (event, atMs) => tell(event, atMs))
  const pass: EventListener = (event, atMs) => {
    if (event.type !== 'log') tell(event, atMs)
    else if (audiences.hearLogs()) logs.add(event)
  }
  const tell: EventListener = (event, atMs) => {
    const flows = flowsOf(event)
    if (!isWanted(event) && !audiences.areConcerned(event, flows)) return
    const text = eventText(event, { seq: next(), atMs, ts: timestampAt(atMs) }, flows, mediaFor(event, atMs))
    for (const session of opening) if (concerns(session, event, flows)) gather(session, text)
    turn.add(text)
  }
  const isWanted = (event: EngineEvent): event is Extract<EngineEvent, { type: 'value' }> =>
    event.type === 'value' && wanted.has(event.message)
  const mediaFor = (event: EngineEvent, atMs: number): Media | null =>
    isWanted(event) ? mediaOf({ ...event, ts: timestampOfMs(atMs) }, deps.frame) : null
  const ask = (session: Session, names: ReadonlySet<string>): void => {
    // what happened until now is told to it as it was asked for until now
    turn.end()
    const before = session.media
    session.media = names
    session.reader.wants(names)
    wanted.replace(before, names)
    const added = [...names].filter((name) => !before.has(name))
    if (session.state.kind === 'open') showMedia(session, added, deps)
  }
  const open = async (session: Session): Promise<void> => {
    const complete = await deps.snapshot()
    // what happened until now is told to those who are open before this one is
    turn.end()
    const snapshot = limitTo(session.interest, complete())
    if (session.state.kind === 'open') return
    const { answers, gathered: missed } = session.state
    const news = newsSince(snapshot, missed)
    // what is still to come has later numbers
    const last = Math.min(seq, (news[0]?.seq ?? Infinity) - 1)
    session.reader.snapshot(last, { engine_version: deps.engineVersion, engine, ...snapshot })
    session.state = { kind: 'open' }
    opening.delete(session)
    for (const refusal of answers) session.reader.error(refusal)
    showMedia(session, session.media, deps)
    tellAll(session, news)
  }
  const forget = (session: Session): void => {
    audiences.delete(session)
    opening.delete(session)
    session.window?.close()
    wanted.replace(session.media, new Set())
    if (audiences.count > 0) return
    logs.close()
    unsubscribe?.()
    unsubscribe = null
  }
  return {
    serve(connection, interest, guest) {
      const { socket, wire } = connection
      if (!deps.guests.admit(guest, socket)) return
      const session = newSession(connection, interest, { clock: deps.clock, next })
      audiences.add(session)
      opening.add(session)
      unsubscribe ??= deps.bus.subscribe(pass, { shows: true })
      socket.on('close', () => forget(session))
      wire.on('drain', () => gathered(wire, () => session.reader.drained()))
      listen(deps, session, (names) => ask(session, names))
      open(session).catch((error: unknown) => {
        deps.log.error({ err: error }, 'an event socket got no snapshot')
        socket.close(INTERNAL_ERROR, 'the snapshot failed; connect again')
      })
    },
    wantedMedia: () => wanted.names(),
    onWantedMedia: (listener) => wanted.onChange(listener),
    interests: audiences,
    count: () => audiences.count,
  }
}

/** The spelling of times, of which a burst of events has one: to spell it is a seventh of what an event costs. */
function createTimestamps(): (atMs: number) => string {
  let last = { atMs: 0, ts: timestampOfMs(0) }
  return (atMs) => {
    if (atMs !== last.atMs) last = { atMs, ts: timestampOfMs(atMs) }
    return last.ts
  }
}

/** Collects events until the turn of the event loop is over, they have many bytes of media, or `end` is called. */
function createTurn(tell: (texts: readonly EventText[]) => void) {
  let texts: EventText[] = []
  let mediaBytes = 0
  let scheduled: NodeJS.Immediate | null = null
  const end = (): void => {
    if (scheduled) clearImmediate(scheduled)
    scheduled = null
    const told = texts
    texts = []
    mediaBytes = 0
    if (told.length > 0) tell(told)
  }
  return {
    add(text: EventText): void {
      texts.push(text)
      mediaBytes += bytesOf(text.media)
      if (mediaBytes > COALESCE_BYTES) end()
      else scheduled ??= setImmediate(end)
    },
    end,
  }
}

/** Hears what the client says: a request is kept, anything else is answered, and a flood ends the socket. */
function listen(
  { isMessage, now = () => performance.now() }: EventSocketsDeps,
  session: Session,
  ask: (names: ReadonlySet<string>) => void,
): void {
  const { reader, socket } = session
  const take = createFrameBudget(now)
  const isAllowed = (): boolean => {
    if (socket.readyState !== socket.OPEN) return false
    if (take()) return true
    endFlood(socket)
    return false
  }
  socket.on('ping', () => {
    if (isAllowed()) reader.closeIfTooSlow()
  })
  socket.on('message', (data, isBinary) => {
    if (!isAllowed()) return
    const frame = readClientFrame(data, isBinary, isMessage)
    if (frame.kind === 'media') ask(frame.names)
    else if (session.state.kind === 'opening') session.state.answers.push(frame)
    else reader.error(frame)
  })
}

/** Says good-bye and reads no further: what the client still sends stays in its own buffers. */
function endFlood(socket: WebSocket): void {
  socket.close(POLICY_VIOLATION, 'too many frames; send fewer')
  socket.pause()
  const cut = setTimeout(() => socket.terminate(), FLOOD_CLOSE_MS)
  socket.once('close', () => clearTimeout(cut))
}
