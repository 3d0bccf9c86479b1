/**
 * The engine's end of a link to a worker on another machine: JSON text frames on a WebSocket (wire decision G54).
 *
 * While the engine is behind with what a worker has sent, nothing more is read of its socket: the worker notices, and
 * holds its processes back.
 * @module
 */
import {
  endOfMalformed,
  type EngineFrame,
  MAX_WORKER_FRAME_BYTES,
  readWorkerFrame,
  type WorkerFrame,
} from '@flow-service/protocol'
import type { EngineTransport } from '@flow-service/worker-agent'
import type { RawData, WebSocket } from 'ws'

const REFUSED = 4001
const POLICY_VIOLATION = 1008
/** How long a worker has for its hello, in milliseconds. */
const HELLO_MS = 30_000
/** Dropped frames of one link that are told. */
const MAX_TOLD = 20
/** Bytes of frames that may wait for the engine before it reads no more. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024

/**
 * A transport over an accepted socket. A frame that is none is dropped, and the call that it names fails; `onMalformed`
 * hears why. A socket that does not begin with a hello is closed.
 */
export function socketTransport(socket: WebSocket, onMalformed: (reason: string) => void): EngineTransport {
  let behind = 0
  let dropped = 0
  let greeting: 'awaited' | 'heard' | 'missed' = 'awaited'
  const sendOff = (reason: string): void => {
    greeting = 'missed'
    // a reason takes at most 123 bytes
    socket.close(POLICY_VIOLATION, Buffer.from(`say hello first: ${reason}`).subarray(0, 120).toString())
  }
  const overdue = setTimeout(() => sendOff('nothing came for 30 seconds'), HELLO_MS).unref()
  socket.once('close', () => clearTimeout(overdue))
  /** Whether a frame counts, which none does without a hello before. */
  const counts = (frame: WorkerFrame | { readonly reason: string }): boolean => {
    if (greeting !== 'awaited') return greeting === 'heard'
    clearTimeout(overdue)
    if ('type' in frame && frame.type === 'hello') {
      greeting = 'heard'
      return true
    }
    const reason = 'type' in frame ? `"${frame.type}" came` : frame.reason
    onMalformed(reason)
    sendOff(reason)
    return false
  }
  const wait = (work: Promise<void>, bytes: number): void => {
    behind += bytes
    if (behind > MAX_BEHIND_BYTES) socket.pause()
    void work.finally(() => {
      behind -= bytes
      if (behind <= MAX_BEHIND_BYTES) socket.resume()
    })
  }
  const isOpen = (): boolean => socket.readyState === socket.OPEN
  const send = (frame: EngineFrame): void => {
    if (isOpen()) socket.send(textOf(frame))
  }
  return {
    get isOpen() {
      return isOpen()
    },
    send,
    onFrame(listener) {
      socket.on('message', (data: RawData, isBinary: boolean) => {
        const text = isBinary ? '' : (data as Buffer).toString()
        const frame = readWorkerFrame(text)
        if (frame === null || !counts(frame)) return
        if ('type' in frame) {
          const work = listener(frame, text.length)
          if (work) wait(work, text.length)
          return
        }
        if (++dropped <= MAX_TOLD) onMalformed(frame.reason)
        if (frame.call === null) return
        void listener(endOfMalformed(frame.call, frame.reason, 'worker'))
        send({ type: 'cancel', call: frame.call })
      })
    },
    onClose: (listener) => void socket.once('close', listener),
    close: (reason) => socket.close(reason === 'refused' ? REFUSED : undefined),
  }
}

/** Throws a RangeError for what the worker would not take. */
function textOf(frame: EngineFrame): string {
  const text = JSON.stringify(frame)
  const size = Buffer.byteLength(text)
  if (size <= MAX_WORKER_FRAME_BYTES) return text
  throw new RangeError(
    `the call takes ${size} bytes, and a worker takes ${MAX_WORKER_FRAME_BYTES}: hand large values over as artifacts`,
  )
}
