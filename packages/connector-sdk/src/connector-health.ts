/**
 * How a connector is: its readings find it, and the connector tells it itself. Both tell the engine, which makes an event of
 * each change; what a connector says in the midst of a reading goes before what the reading comes to.
 * @module
 */
import type { Health } from '@flow-service/protocol'

/** One object a node. */
export class ConnectorHealth {
  readonly #tell: (status: Health, message?: string) => void
  #reports = 0

  constructor(tell: (status: Health, message?: string) => void) {
    this.#tell = tell
  }

  /** How often the connector has told itself how it is. */
  get reports(): number {
    return this.#reports
  }

  /** What the connector says; a reading that it was said in leaves it so. */
  report(status: Health, message?: string): void {
    this.#reports++
    this.#tell(status, message)
  }

  /** What a reading has come to. */
  found(status: Health, message?: string): void {
    this.#tell(status, message)
  }
}
