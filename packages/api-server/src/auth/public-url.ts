/**
 * Where people open the service, for the links that it sends: as it is configured, never as a request says, whose sender
 * could write any host there.
 * @module
 */
import type { ResolvedConfig } from '../config.ts'

/** The place of people; knows it outside production from listening on. */
export class PublicUrl {
  readonly #isGiven: boolean
  #place: string | null

  constructor({ environment, publicUrl }: Pick<ResolvedConfig, 'environment' | 'publicUrl'>) {
    this.#isGiven = environment === 'production'
    this.#place = publicUrl?.replace(/\/+$/, '') ?? null
  }

  /** Without a slash at its end; null where nothing is configured, and nothing may be guessed. */
  get place(): string | null {
    return this.#place
  }

  /** The service listens there: its place outside production, unless one is configured. */
  listensAt(origin: string): void {
    if (!this.#isGiven) this.#place ??= origin
  }
}
