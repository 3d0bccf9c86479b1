/**
 * A narrow net under the PostgreSQL driver: when the server dies inside a transaction, the driver may write to a socket
 * that is gone, outside any promise, which would end the process. The transaction itself is refused as it should be.
 * @module
 */
import type { Log } from '../process/log.ts'

/** Whether an error is that fault: nothing else has this message together with this frame. */
export const isDriverFault = (error: unknown): boolean =>
  error instanceof TypeError &&
  error.message === "Cannot read properties of null (reading 'write')" &&
  /\bnextWrite\b/.test(error.stack ?? '')

/**
 * Keeps the process alive through the fault; every other uncaught exception ends it as it would without the guard.
 * The result removes the guard.
 */
export function guardProcess(log: Pick<Log, 'warn'>): () => void {
  const onUncaught = (error: unknown): void => {
    if (isDriverFault(error)) return log.warn({ err: error }, 'the database went away inside a transaction')
    // a listener of the host decides; without one, do what Node does when nobody listens
    if (process.listenerCount('uncaughtException') > 1) return
    console.error(error)
    process.exit(1)
  }
  process.on('uncaughtException', onUncaught)
  return () => void process.off('uncaughtException', onUncaught)
}
