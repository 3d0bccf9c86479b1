/**
 * Engines that have dialled this one: who they are, until each has said hello.
 *
 * - arrivals.A1 an engine is known by a token of the database's key, for this dial alone, and its hello names the same id.
 *   Without such a token no socket is opened.
 * @module
 */
import type { SigningKey } from '../../auth/signing-key.ts'
import { bearerToken } from '../../http/authenticate.ts'
import { ProblemError } from '../../http/errors.ts'
import { SERVICE_RESTART, STOPPING, type UpgradeHandler } from '../../http/upgrade.ts'
import type { Log } from '../../process/log.ts'
import { type EngineTokenDeps, readEngineToken } from './engine-token.ts'
import { MAX_MESSAGE_BYTES } from './frames.ts'
import { Greeting, type Hello } from './greeting.ts'
import { inTicks } from './tick.ts'
import { type OpenSocket, Wire } from './wire.ts'

/** How long an engine has for its hello. */
const GREETING_TICKS = inTicks(5000)

/** What arrivals need. */
export interface ArrivalsDeps extends EngineTokenDeps {
  readonly signingKey: SigningKey
  /** The id of this engine. */
  readonly self: string
  readonly protocol: number
  readonly tick: () => number
  readonly log: Pick<Log, 'error'>
  /** A socket is open; ticks are needed. */
  readonly onOpen: () => void
  /** Takes over the wire of an engine. Throws a `LinkFault` where it is not wanted. */
  readonly onHello: (engine: string, wire: Wire, hello: Hello) => void
}

interface Arrival {
  readonly wire: Wire
  readonly dueTick: number
}

/** Engines that have not said hello yet. */
export class Arrivals {
  readonly #deps: ArrivalsDeps
  readonly #arrivals = new Set<Arrival>()
  #isClosed = false

  constructor(deps: ArrivalsDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#arrivals.size
  }

  readonly upgrade: UpgradeHandler = async (upgrade) => {
    const engine = await readEngineToken(bearerToken(upgrade.request), this.#deps.self, this.#deps)
    if (engine === null) {
      throw new ProblemError(
        'unauthenticated',
        'the token is none of an engine of this database for this one, or has expired: set the clocks of both machines',
      )
    }
    if (engine === this.#deps.self) throw new ProblemError('bad_request', `engine ${engine} has dialled itself`)
    if (this.#isClosed) throw new ProblemError('unavailable', STOPPING, { retry_after_s: 1 })
    // its stop is told by `close`
    const socket = await upgrade.accept({ maxPayloadBytes: MAX_MESSAGE_BYTES, stopCode: null })
    this.#opened(engine, { socket, stream: upgrade.request.socket })
  }

  /** Another tick has passed. */
  sweep(tick: number): void {
    for (const { wire, dueTick } of this.#arrivals) if (tick > dueTick) wire.cut('it has not said hello')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#arrivals].map(({ wire }) => wire.close(SERVICE_RESTART, STOPPING)))
  }

  #opened(engine: string, open: OpenSocket): void {
    const { protocol, tick, log, onOpen, onHello } = this.#deps
    const over = (): void => void this.#arrivals.delete(arrival)
    const greeting = new Greeting({
      engine,
      protocol,
      onHello: (hello) => {
        onHello(engine, wire, hello)
        over()
      },
      onEnd: over,
    })
    const wire = new Wire(open, greeting, log)
    const arrival: Arrival = { wire, dueTick: tick() + GREETING_TICKS }
    this.#arrivals.add(arrival)
    if (this.#isClosed) void wire.close(SERVICE_RESTART, STOPPING)
    onOpen()
  }
}
