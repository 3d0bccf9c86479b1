/**
 * Attempts of a node of a run: one, or as many as its `retry` allows while they fail (batch.B9, batch.B10).
 * @module
 */
import type { NodeRetry } from '@flow-service/protocol'

import { retryDelayMs } from '../retry-delay.ts'
import { startTimer } from '../timers.ts'
import type { NodeEnd, Turn } from './context.ts'

/**
 * The end of the last attempt. `execute` is called with the number of the attempt, from 1, and a function that it calls
 * when the node's code begins, after a wait for a worker; what it rejects with is not tried again. Without a `retry` it
 * is called once and nothing is told.
 */
export async function attempted(
  turn: Turn,
  retry: NodeRetry | null,
  execute: (attempt: number, onBegin: () => void) => Promise<NodeEnd>,
): Promise<NodeEnd> {
  if (retry === null) return await execute(1, () => {})
  const { context, graphNode, aside } = turn
  const { clock } = context.host
  const { id } = graphNode.node
  const earlier = context.earlier?.get(id)
  const [first, goingOn] = earlier?.status === 'begun' ? [earlier.attempt, earlier.goingOn] : [1, null]
  if (first > 1 && goingOn === null) {
    await aside(passed(turn, retryDelayMs(retry, first - 1, `${context.run}/${id}`)))
    if (context.signal.aborted) return { status: 'cancelled' }
  }
  for (let attempt = first; ; attempt += 1) {
    const turnMs = clock.now()
    let beganMs = attempt === first ? (goingOn?.startMs ?? null) : null
    // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
    const end = await execute(attempt, () => void (beganMs ??= clock.now()))
    const startMs = beganMs ?? turnMs
    const error = end.status === 'error' ? end.error : null
    if (end.status !== 'cancelled') {
      context.observe({ kind: 'attempt', node: id, attempt, startMs, atMs: clock.now(), error })
    }
    if (error === null || error.type === 'cancelled' || attempt === retry.attempts) return end
    const waitMs = retryDelayMs(retry, attempt, `${context.run}/${id}`)
    const text = `attempt ${attempt} of ${retry.attempts} failed: ${error.type}: ${error.message}\n`
    context.observe({ kind: 'log', node: id, stream: 'stderr', text })
    // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
    await aside(passed(turn, waitMs))
    if (context.signal.aborted) return { status: 'cancelled' }
  }
}

/** Settles when the time has passed or the run is cancelled. */
async function passed({ context }: Turn, ms: number): Promise<void> {
  const { signal, host } = context
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop)
  const cancel = startTimer(host.clock, ms, stop)
  await promise
  cancel()
  signal.removeEventListener('abort', stop)
}
