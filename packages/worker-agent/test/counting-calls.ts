/** The worker's end of a link that may break: calls without processes, which say a word whenever they are told to. */
import { ResumableLink } from '../src/remote/resumable-link.ts'

export type { LinkEnd } from '../src/remote/connection.ts'
export type { LinkConnection } from '../src/remote/resumable-link.ts'

/** Calls that emit the numbers from 0 on, and end with how many there were. */
export class CountingCalls {
  readonly link: ResumableLink
  readonly begun: string[] = []
  readonly #emissions: number
  readonly #running = new Map<string, number>()

  /** `lastSession` is that of a link before it, which was lost without calls. */
  constructor(emissions: number, lastSession: string | null = null) {
    this.#emissions = emissions
    const link = new ResumableLink({ directory: () => '/nowhere', onWelcome: () => undefined, lastSession })
    this.link = link
    link.onFrame((frame) => {
      if (frame.type === 'cancel') this.#end(frame.call)
      if (frame.type !== 'call') return
      this.begun.push(frame.call)
      this.#running.set(frame.call, 0)
      void link.send({ type: 'started', call: frame.call, pid: 1 })
    })
    link.onGap({
      lost: () => undefined,
      dropped: (calls) => calls.forEach((call) => this.#running.delete(call)),
      full: () => undefined,
    })
  }

  /** One of those that run says its next word. */
  step(which: number): void {
    const [call, said] = [...this.#running][which % Math.max(1, this.#running.size)] ?? []
    if (call === undefined || said === undefined) return
    if (said < this.#emissions) {
      this.#running.set(call, said + 1)
      void this.link.send({ type: 'emit', call, batch: [[{ loss: said }, 0]] })
    } else {
      this.#running.delete(call)
      void this.link.send({ type: 'result', call, outputs: { y: said } })
    }
  }

  #end(call: string): void {
    if (!this.#running.delete(call)) return
    void this.link.send({ type: 'error', call, error: { type: 'cancelled', message: '', traceback: null } })
  }
}
