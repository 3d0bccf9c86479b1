/**
 * The way to a worker that cannot come back to its calls: the engine's own agent, and those that know nothing of it. A call
 * of a run that outlives its engine is handed over once it is noted that this one does not (kept-calls.K1).
 * @module
 */
import type { EngineTransport } from '@flow-service/worker-agent'

import type { KeptCalls } from './kept-calls.ts'
import type { WorkerLink } from './worker-deps.ts'

/** What ends a call that is not handed over. */
type Refuse = (call: string, type: string, message: string) => void

/** A link that notes calls before it sends them. */
export function notedLink(transport: EngineTransport, kept: Pick<KeptCalls, 'beginHere'>, refuse: Refuse): WorkerLink {
  const pending = new Set<string>()
  return {
    get isOpen() {
      return transport.isOpen
    },
    send(frame) {
      if (frame.type === 'cancel' && pending.delete(frame.call)) {
        refuse(frame.call, 'cancelled', 'the call was cancelled')
        return
      }
      const noted = frame.type === 'call' ? kept.beginHere(frame.call) : undefined
      if (frame.type !== 'call' || !noted) {
        transport.send(frame)
        return
      }
      const { call } = frame
      pending.add(call)
      noted.then(
        () => {
          if (!pending.delete(call)) return
          try {
            transport.send(frame)
          } catch (error) {
            refuse(call, 'frame_too_large', (error as Error).message)
          }
        },
        (error: Error) => {
          if (pending.delete(call)) refuse(call, 'not_kept', error.message)
        },
      )
    },
  }
}
