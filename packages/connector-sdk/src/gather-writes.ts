/**
 * Many small writes as one system call.
 * @module
 */
import type { Writable } from 'node:stream'

/** What is gathered leaves at once beyond this. */
const MOST_BYTES = 64 * 1024

/**
 * A function to call before a write: what is written to the stream from then on leaves when all that this turn of the
 * event loop has set off is done, or {@link MOST_BYTES} have gathered. Order stays. Each small write is a system call of
 * its own otherwise, which costs a busy node more than all else that it does.
 * @example const gather = gatherWrites(socket); const send = (text: string) => { gather(); socket.write(text) }
 */
export function gatherWrites(stream: Pick<Writable, 'cork' | 'uncork' | 'writableLength'>): () => void {
  let isGathering = false
  const release = (): void => {
    isGathering = false
    stream.uncork()
  }
  return () => {
    if (isGathering) {
      if (stream.writableLength <= MOST_BYTES) return
      stream.uncork()
      stream.cork()
      return
    }
    isGathering = true
    stream.cork()
    // a flow works in microtasks; the tick after those is the end
    queueMicrotask(() => process.nextTick(release))
  }
}
