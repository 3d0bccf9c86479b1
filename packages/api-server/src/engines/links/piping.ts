/**
 * The pipes of one link, by their ids: the engine that dialled gives the odd ones.
 * @module
 */
import type { Duplex } from 'node:stream'

import type { Log } from '../../process/log.ts'
import { kinds, readSubject } from './frames.ts'
import { Ids } from './ids.ts'
import { malformed } from './link-fault.ts'
import { MAX_REASON_BYTES, Pipe } from './pipe.ts'
import { Unanswered } from './refusals.ts'
import type { Wire } from './wire.ts'

/** Takes a pipe that another engine has opened; what it throws breaks the pipe off. */
export type PipeTaker = (stream: Duplex, payload: Buffer, from: string) => void

/** What pipes need of their link. */
export interface PipingDeps {
  readonly engine: string
  readonly hasDialled: boolean
  readonly wire: Wire
  readonly takers: ReadonlyMap<string, PipeTaker>
  readonly log: Pick<Log, 'error'>
}

/** The pipes of one link. */
export class Piping {
  readonly #deps: PipingDeps
  readonly #pipes = new Map<number, Pipe>()
  readonly #parity: number
  readonly #ours: Ids
  readonly #theirs: Ids

  constructor(deps: PipingDeps) {
    this.#deps = deps
    this.#parity = deps.hasDialled ? 1 : 0
    this.#ours = new Ids(deps.hasDialled ? 1 : 2, 2)
    this.#theirs = new Ids(deps.hasDialled ? 2 : 1, 2)
  }

  open(subject: string, payload: Uint8Array): Duplex {
    const id = this.#ours.next(this.#pipes)
    this.#deps.wire.write(kinds.open, id, payload, subject)
    return this.#add(id)
  }

  /** The other engine opens a pipe. */
  opened(id: number, payload: Buffer): void {
    const { engine, takers, wire, log } = this.#deps
    const { subject, rest } = readSubject(payload)
    if (!this.#theirs.note(id)) throw malformed(`a pipe is opened as ${id}`)
    const taker = takers.get(subject)
    if (!taker) return wire.write(kinds.reset, id, Buffer.from(`nothing in the other engine takes "${subject}"`))
    const pipe = this.#add(id)
    try {
      taker(pipe, rest, engine)
    } catch (error) {
      log.error({ err: error, subject }, 'a pipe of another engine failed unexpectedly')
      pipe.destroy(new Error('the other engine failed'))
    }
  }

  chunk(id: number, payload: Buffer): void {
    this.#find(id)?.arrived(payload)
  }

  end(id: number, payload: Buffer): void {
    if (payload.length > 0) throw malformed('the end of a pipe has a payload')
    this.#find(id)?.endedThere()
  }

  credit(id: number, payload: Buffer): void {
    if (payload.length !== 4) throw malformed('the credit of a pipe is no number')
    this.#find(id)?.credited(payload.readUInt32LE())
  }

  reset(id: number, payload: Buffer): void {
    const reason = payload.toString('utf8', 0, MAX_REASON_BYTES)
    this.#find(id)?.breakOff(
      new Unanswered(`engine ${this.#deps.engine} broke the stream off${reason === '' ? '' : `: ${reason}`}`),
    )
  }

  /** The link is over. */
  ended(detail: string): void {
    for (const pipe of this.#pipes.values())
      pipe.breakOff(new Unanswered(`the link to engine ${this.#deps.engine} ended: ${detail}`))
  }

  #add(id: number): Pipe {
    const pipe = new Pipe({ id, wire: this.#deps.wire, forget: () => void this.#pipes.delete(id) })
    this.#pipes.set(id, pipe)
    return pipe
  }

  /** Null for one that is over: what was on its way is of no use. */
  #find(id: number): Pipe | null {
    const pipe = this.#pipes.get(id)
    if (pipe) return pipe
    if ((this.#isOurs(id) ? this.#ours : this.#theirs).isKnown(id)) return null
    throw malformed(`there is no pipe ${id}`)
  }

  #isOurs(id: number): boolean {
    return (id & 1) === this.#parity
  }
}
