/**
 * The event socket: shows a client the state of the engine and then every change of it (wire decision G46).
 *
 * A socket is *opening* until its snapshot is sent and *open* afterwards. While it opens, events are gathered, so that
 * nothing is missed between the snapshot and the first event.
 *
 * Events are serialised when they happen, and told to the open sockets at the end of the turn of the event loop: a
 * cascade is one write a socket, not one an event.
 * @module
 */
import type { Duplex } from 'node:stream'

import type { Clock } from '@flow-service/core'
import { type FrameKind, flowPart } from '@flow-service/protocol'
import type { WebSocket } from 'ws'

import type { Guest, SocketGuests } from '../http/socket-guests.ts'
import type { Log } from '../process/log.ts'
import { readClientFrame, type Refusal } from './client-frame.ts'
import type { EventBus, EventListener } from './event-bus.ts'
import { CLOSE_BYTES, EventReader } from './event-reader.ts'
import { type EngineSnapshot, newsSince } from './event-replay.ts'
import { type EventText, eventText, flowsOf } from './event-text.ts'
import { createFrameBudget } from './frame-budget.ts'
import { LogPace } from './log-pace.ts'

/** What the sockets need of the engine. */
export interface EventSocketsDeps {
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

/** What a socket is told. */
interface Interest {
  /** Null for all flows. */
  readonly flows: ReadonlySet<string> | null
  readonly kinds: ReadonlySet<FrameKind>
}

/** An accepted socket and the connection below it, whose writes are gathered. */
interface Connection {
  readonly socket: WebSocket
  readonly wire: Pick<Duplex, 'cork' | 'on' | 'uncork'>
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
  /** How many are open. */
  count(): number
}

interface Opening {
  readonly kind: 'opening'
  readonly gathered: EventText[]
  /** Bytes of what is gathered. */
  size: number
  /** Answers to what the client said meanwhile; the snapshot comes first. */
  readonly answers: Refusal[]
}

interface Session extends Connection {
  readonly reader: EventReader
  readonly interest: Interest
  state: Opening | { readonly kind: 'open' }
  media: readonly string[]
}

const POLICY_VIOLATION = 1008
const INTERNAL_ERROR = 1011
const TRY_AGAIN_LATER = 1013
/** How long a client that floods the engine has to take notice of its end, in milliseconds. */
const FLOOD_CLOSE_MS = 2000
/** Bytes of events that are gathered in one write to a socket. */
const WRITE_BYTES = 64 * 1024

/** Event sockets on a bus. An event is serialised once, and only while somebody listens to its flow. */
export function createEventSockets(deps: EventSocketsDeps): EventSockets {
  const sessions = new Set<Session>()
  const turn = createTurn((texts) => {
    for (const session of sessions) if (session.state.kind === 'open') tellAll(session, texts)
  })
  let unsubscribe: (() => void) | null = null
  const logs = new LogPace(deps.clock, (event, atMs) => tell(event, atMs))
  const pass: EventListener = (event, atMs) => {
    if (event.type !== 'log') tell(event, atMs)
    else if ([...sessions].some(({ interest }) => interest.kinds.has('log'))) logs.add(event)
  }
  const tell: EventListener = (event, atMs) => {
    const flows = flowsOf(event)
    let text: EventText | null = null
    for (const session of sessions) {
      if (!concerns(session.interest, event.type, flows)) continue
      text ??= eventText(event, atMs, flows)
      gather(session, text)
    }
    if (text) turn.add(text)
  }
  const open = async (session: Session): Promise<void> => {
    const complete = await deps.snapshot()
    // what happened until now is told to those who are open before this one is
    turn.end()
    const snapshot = limitTo(session.interest, complete())
    session.reader.snapshot({ engine_version: deps.engineVersion, ...snapshot })
    if (session.state.kind === 'open') return
    const { answers, gathered: missed } = session.state
    session.state = { kind: 'open' }
    for (const refusal of answers) session.reader.error(refusal)
    tellAll(session, newsSince(snapshot, missed))
  }
  const forget = (session: Session): void => {
    sessions.delete(session)
    if (sessions.size > 0) return
    logs.close()
    unsubscribe?.()
    unsubscribe = null
  }
  return {
    serve(connection, interest, guest) {
      const { socket, wire } = connection
      if (!deps.guests.admit(guest, socket)) return
      const reader = new EventReader(socket)
      const session: Session = {
        ...connection,
        reader,
        interest,
        state: { kind: 'opening', gathered: [], size: 0, answers: [] },
        media: [],
      }
      sessions.add(session)
      unsubscribe ??= deps.bus.subscribe(pass)
      socket.on('close', () => forget(session))
      wire.on('drain', () => gathered(wire, () => reader.drained()))
      listen(deps, session)
      open(session).catch((error: unknown) => {
        deps.log.error({ err: error }, 'an event socket got no snapshot')
        socket.close(INTERNAL_ERROR, 'the snapshot failed; connect again')
      })
    },
    wantedMedia: () => new Set([...sessions].flatMap(({ media }) => media)),
    count: () => sessions.size,
  }
}

/** Collects events until the turn of the event loop is over, or `end` is called. */
function createTurn(tell: (texts: readonly EventText[]) => void) {
  let texts: EventText[] = []
  let scheduled: NodeJS.Immediate | null = null
  const end = (): void => {
    if (scheduled) clearImmediate(scheduled)
    scheduled = null
    const told = texts
    texts = []
    if (told.length > 0) tell(told)
  }
  return {
    add(text: EventText): void {
      texts.push(text)
      scheduled ??= setImmediate(end)
    },
    end,
  }
}

/** Keeps an event for a socket that has no snapshot yet. */
function gather({ socket, state }: Session, text: EventText): void {
  if (state.kind === 'open' || socket.readyState !== socket.OPEN) return
  state.gathered.push(text)
  state.size += text.tail.length
  if (state.size > CLOSE_BYTES) socket.close(TRY_AGAIN_LATER, 'the snapshot takes too long; connect again')
}

/** Tells a socket the events that concern it, many in one write. */
function tellAll({ interest, reader, wire }: Session, texts: readonly EventText[]): void {
  let size = 0
  wire.cork()
  for (const text of texts) {
    if (!concerns(interest, text.event.type, text.flows)) continue
    reader.event(text)
    size += text.tail.length
    if (size < WRITE_BYTES) continue
    // what is corked counts as waiting, so that a burst would look like a slow reader
    wire.uncork()
    wire.cork()
    size = 0
  }
  wire.uncork()
}

/** Makes one write of all that `send` sends. */
function gathered(wire: Connection['wire'], send: () => void): void {
  wire.cork()
  send()
  wire.uncork()
}

const concerns = ({ flows: wanted, kinds }: Interest, kind: FrameKind, flows: readonly string[]): boolean =>
  kinds.has(kind) && (wanted === null || flows.some((flow) => wanted.has(flow)))

function limitTo({ flows, kinds }: Interest, snapshot: EngineSnapshot): EngineSnapshot {
  const of = <T>(kind: FrameKind, items: T[], flowOf: (item: T) => string): T[] =>
    kinds.has(kind) ? items.filter((item) => flows === null || flows.has(flowOf(item))) : []
  return {
    flows: of('flow', snapshot.flows, ({ name }) => name),
    nodes: of('node', snapshot.nodes, ({ flow }) => flow),
    values: of('value', snapshot.values, ({ message }) => flowPart(message)),
    health: of('health', snapshot.health, ({ flow }) => flow),
    runs: of('run', snapshot.runs, ({ flow }) => flow),
  }
}

/** Hears what the client says: a request is kept, anything else is answered, and a flood ends the socket. */
function listen({ isMessage, now = () => performance.now() }: EventSocketsDeps, session: Session): void {
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
    if (frame.kind === 'media') session.media = frame.names
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
