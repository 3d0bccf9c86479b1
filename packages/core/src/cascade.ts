/**
 * Everything that one external event sets off (G15).
 * @module
 */

/** A webhook, timer tick, publication or trigger, and how many executions it has caused. */
export class Cascade {
  /** UUIDv7. */
  readonly id: string
  executions = 0

  constructor(id: string) {
    this.id = id
  }
}
