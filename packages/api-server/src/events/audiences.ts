/**
 * The open event sockets by what they were asked to tell: `event-socket.ts` gives it each event once, however many sockets
 * listen. An audience is the sockets with one interest; what they are told of a turn is the same bytes (`shared-frames.ts`),
 * except for a socket that has a window, media of its own, too much waiting, or a number that is ahead of the events'.
 * @module
 */
import type { EngineEvent } from '@flow-service/protocol'

import { type Interest, isWithin, type Session, tellAll } from './event-session.ts'
import type { EventText } from './event-text.ts'
import { type SharedFrames, sharedFrames } from './shared-frames.ts'

interface Audience {
  readonly interest: Interest
  readonly sessions: Set<Session>
}

/** All event sockets. */
export class Audiences {
  readonly #byInterest = new Map<string, Audience>()
  #count = 0
  readonly #listeners = new Set<() => void>()

  get count(): number {
    return this.#count
  }

  add(session: Session): void {
    const key = keyOf(session.interest)
    const audience = this.#byInterest.get(key) ?? { interest: session.interest, sessions: new Set() }
    this.#byInterest.set(key, audience)
    audience.sessions.add(session)
    this.#count += 1
    this.#changed()
  }

  delete(session: Session): void {
    const key = keyOf(session.interest)
    const audience = this.#byInterest.get(key)
    if (!audience?.sessions.delete(session)) return
    this.#count -= 1
    if (audience.sessions.size === 0) this.#byInterest.delete(key)
    this.#changed()
  }

  /** Whether an event is within the interest of some socket. */
  areConcerned(event: EngineEvent, flows: readonly string[]): boolean {
    for (const { interest } of this.#byInterest.values()) if (isWithin(interest, event, flows)) return true
    return false
  }

  /** Whether some socket is told of what nodes print. */
  hearLogs(): boolean {
    return [...this.#byInterest.values()].some(({ interest }) => interest.kinds.has('log'))
  }

  /** What is asked for altogether; null while there is no socket. */
  together(): Interest | null {
    const interests = [...this.#byInterest.values()].map(({ interest }) => interest)
    if (interests.length === 0) return null
    const kinds = new Set(interests.flatMap((each) => [...each.kinds]))
    const isAll = interests.some(({ flows }) => flows === null)
    return { flows: isAll ? null : new Set(interests.flatMap(({ flows }) => [...(flows ?? [])])), kinds }
  }

  /** Tells of each socket that comes or goes; the result ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Tells the sockets that are open the events of a turn. */
  tell(texts: readonly EventText[]): void {
    for (const { interest, sessions } of this.#byInterest.values()) {
      let frames: readonly SharedFrames[] | null = null
      for (const session of sessions) {
        if (session.state.kind !== 'open') continue
        if (session.window || session.media.size > 0) tellAll(session, texts)
        else share(session, (frames ??= framesWithin(interest, texts)))
      }
    }
  }
}

const framesWithin = (interest: Interest, texts: readonly EventText[]): SharedFrames[] =>
  sharedFrames(texts.filter(({ event, flows }) => isWithin(interest, event, flows)))

function share(session: Session, frames: readonly SharedFrames[]): void {
  for (const part of frames) if (!session.reader.shared(part)) tellAll(session, part.texts)
}

function keyOf({ flows, kinds, runs = null }: Interest): string {
  const sorted = (names: ReadonlySet<string> | null) => names && [...names].toSorted()
  return JSON.stringify([sorted(flows), sorted(kinds), sorted(runs)])
}
