/**
 * The event socket: shows a client the state of the engine and then every change of it (wire decision G46).
 *
 * A socket is *opening* until its snapshot is sent and *open* afterwards. While it opens, events are gathered, so that
 * nothing is missed between the snapshot and the first event.
 * @module
 */
import { flowPart } from '@flow-service/protocol'
import type { RawData, WebSocket } from 'ws'

import type { EventBus, EventListener } from './event-bus.ts'
import { CLOSE_BYTES, EventReader } from './event-reader.ts'
import { type EngineSnapshot, newsSince } from './event-replay.ts'
import { type EventText, eventText } from './event-text.ts'

/** What the sockets need of the engine. */
export interface EventSocketsDeps {
  readonly bus: EventBus
  readonly engineVersion: string
  /** The state now; must not lag behind the events that were published before the call. */
  readonly snapshot: () => Promise<EngineSnapshot> | EngineSnapshot
  readonly log: { error(fields: object, message: string): void }
}

/** The open event sockets. */
export interface EventSockets {
  /** Serves an accepted socket; `flows` limits what it is told, null for everything. */
  serve(socket: WebSocket, flows: ReadonlySet<string> | null): void
}

interface Session {
  readonly reader: EventReader
  readonly flows: ReadonlySet<string> | null
  state: { readonly kind: 'opening'; readonly gathered: EventText[]; size: number } | { readonly kind: 'open' }
}

const INTERNAL_ERROR = 1011
const TRY_AGAIN_LATER = 1013

/** Event sockets on a bus. An event is serialised once, and only while somebody listens. */
export function createEventSockets(deps: EventSocketsDeps): EventSockets {
  const sessions = new Map<WebSocket, Session>()
  let unsubscribe: (() => void) | null = null
  const pass: EventListener = (event, atMs) => {
    const text = eventText(event, atMs)
    for (const [socket, session] of sessions) if (concerns(session.flows, text.flows)) tell(socket, session, text)
  }
  const forget = (socket: WebSocket): void => {
    sessions.delete(socket)
    if (sessions.size > 0) return
    unsubscribe?.()
    unsubscribe = null
  }
  return {
    serve(socket, flows) {
      const session: Session = {
        reader: new EventReader(socket),
        flows,
        state: { kind: 'opening', gathered: [], size: 0 },
      }
      sessions.set(socket, session)
      unsubscribe ??= deps.bus.subscribe(pass)
      socket.on('close', () => forget(socket))
      socket.on('ping', () => session.reader.closeIfTooSlow())
      socket.on('message', (data, isBinary) => refuseFrame(session.reader, data, isBinary))
      open(deps, session).catch((error: unknown) => {
        deps.log.error({ err: error }, 'an event socket got no snapshot')
        socket.close(INTERNAL_ERROR, 'the snapshot failed; connect again')
      })
    },
  }
}

async function open(deps: EventSocketsDeps, session: Session): Promise<void> {
  const snapshot = limitTo(session.flows, await deps.snapshot())
  session.reader.snapshot({ engine_version: deps.engineVersion, ...snapshot })
  const gathered = session.state.kind === 'opening' ? session.state.gathered : []
  session.state = { kind: 'open' }
  for (const text of newsSince(snapshot, gathered)) session.reader.event(text)
}

function tell(socket: WebSocket, session: Session, text: EventText): void {
  const { state } = session
  if (state.kind === 'open') {
    session.reader.event(text)
    return
  }
  state.gathered.push(text)
  state.size += text.tail.length
  if (state.size > CLOSE_BYTES) socket.close(TRY_AGAIN_LATER, 'the snapshot takes too long; connect again')
}

const concerns = (wanted: ReadonlySet<string> | null, flows: readonly string[]): boolean =>
  wanted === null || flows.some((flow) => wanted.has(flow))

function limitTo(wanted: ReadonlySet<string> | null, snapshot: EngineSnapshot): EngineSnapshot {
  if (wanted === null) return snapshot
  return {
    flows: snapshot.flows.filter(({ name }) => wanted.has(name)),
    nodes: snapshot.nodes.filter(({ flow }) => wanted.has(flow)),
    values: snapshot.values.filter(({ message }) => wanted.has(flowPart(message))),
    health: snapshot.health.filter(({ flow }) => wanted.has(flow)),
    runs: snapshot.runs.filter(({ flow }) => wanted.has(flow)),
  }
}

/** Clients have nothing to say yet: every frame is answered with what is wrong with it. */
function refuseFrame(reader: EventReader, data: RawData, isBinary: boolean): void {
  const type = isBinary ? null : frameType(data)
  if (type === null) {
    reader.error('malformed_frame', 'send text frames that hold a JSON object with a "type"')
  } else reader.error('unknown_frame', `frames of type "${type.slice(0, 100)}" are not known here`)
}

function frameType(data: RawData): string | null {
  try {
    const frame: unknown = JSON.parse((data as Buffer).toString('utf8'))
    return typeof frame === 'object' && frame !== null && 'type' in frame && typeof frame.type === 'string'
      ? frame.type
      : null
  } catch {
    return null
  }
}
