/**
 * A net under promises that nobody waits for: a node type that forgets one would end the process, and with it every
 * other flow. What a node awaits or returns never comes here; its failure is the node's own.
 * @module
 */
import type { Log } from './log.ts'

/**
 * Keeps the process alive and tells the log; the result removes the net. A listener of the host hears of it too. `blame` names
 * who has left the promise alone, as fields of the line.
 */
export function outliveStrayRejections(
  log: Pick<Log, 'error'>,
  blame: (reason: unknown) => object | null = () => null,
): () => void {
  const onRejection = (reason: unknown): void =>
    log.error(
      { err: reason, ...blame(reason) },
      'a promise that nobody waits for has failed: its node type should await or catch it',
    )
  process.on('unhandledRejection', onRejection)
  return () => void process.off('unhandledRejection', onRejection)
}
