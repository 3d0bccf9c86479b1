/**
 * The engine's end of a link to a worker on another machine: JSON text frames on a WebSocket (wire decision G54).
 *
 * While the engine is behind with what a worker has sent, nothing more is read of its socket: the worker notices, and
 * holds its processes back.
 * @module
 */
import { type EngineFrame, MAX_WORKER_FRAME_BYTES, type WorkerFrame, workerFrameSchema } from '@flow-service/protocol'
import type { EngineTransport } from '@flow-service/worker-agent'
import type { RawData, WebSocket } from 'ws'
import * as z from 'zod'

const REFUSED = 4001
/** Bytes of frames that may wait for the engine before it reads no more. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024

/**
 * A transport over an accepted socket. A frame that is none is dropped, and the call that it names fails; `onMalformed`
 * hears why.
 */
export function socketTransport(socket: WebSocket, onMalformed: (reason: string) => void): EngineTransport {
  let behind = 0
  const wait = (work: Promise<void>, bytes: number): void => {
    behind += bytes
    if (behind > MAX_BEHIND_BYTES) socket.pause()
    void work.finally(() => {
      behind -= bytes
      if (behind <= MAX_BEHIND_BYTES) socket.resume()
    })
  }
  const send = (frame: EngineFrame): void => {
    if (socket.readyState === socket.OPEN) socket.send(textOf(frame))
  }
  return {
    send,
    onFrame(listener) {
      socket.on('message', (data: RawData, isBinary: boolean) => {
        const text = isBinary ? '' : (data as Buffer).toString()
        const frame = frameOf(text)
        if (frame === null) return
        if ('type' in frame) {
          const work = listener(frame)
          if (work) wait(work, text.length)
          return
        }
        onMalformed(frame.reason)
        if (frame.call === null) return
        void listener(failureOf(frame.call, frame.reason))
        send({ type: 'cancel', call: frame.call })
      })
    },
    onClose: (listener) => void socket.once('close', listener),
    close: (reason) => socket.close(reason === 'refused' ? REFUSED : undefined),
  }
}

const failureOf = (call: string, reason: string): WorkerFrame => ({
  type: 'error',
  call,
  error: {
    type: 'malformed_frame',
    message: `the worker sent what is no frame of the protocol: ${reason}`,
    traceback: null,
  },
})

/** Throws a RangeError for what the worker would not take. */
function textOf(frame: EngineFrame): string {
  const text = JSON.stringify(frame)
  const size = Buffer.byteLength(text)
  if (size <= MAX_WORKER_FRAME_BYTES) return text
  throw new RangeError(
    `the call takes ${size} bytes, and a worker takes ${MAX_WORKER_FRAME_BYTES}: hand large values over as artifacts`,
  )
}

/** What is no frame, and the call that it is about. */
interface Malformed {
  readonly reason: string
  readonly call: string | null
}

/** The frame of a text; null when it is of a type that a later version has added. */
function frameOf(text: string): WorkerFrame | Malformed | null {
  const value = jsonOf(text)
  const parsed = workerFrameSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const { type, call } = z.object({ type: z.unknown(), call: z.unknown() }).partial().catch({}).parse(value)
  if (typeof type === 'string' && !types.has(type)) return null
  return {
    reason:
      typeof type === 'string' ? `"${type}" ${problemOf(parsed.error)}` : 'a frame is a JSON object with a "type"',
    call: typeof call === 'string' ? call : null,
  }
}

/** The members that are wrong, as far as the first alternative tells them. */
function problemOf(error: z.ZodError): string {
  const issues = error.issues.flatMap((issue) => (issue.code === 'invalid_union' ? (issue.errors[0] ?? []) : [issue]))
  const [first] = issues
  return first === undefined ? 'is not valid' : `at "${first.path.join('.')}": ${first.message}`
}

const types: ReadonlySet<string> = new Set<WorkerFrame['type']>([
  'hello',
  'started',
  'emit',
  'log',
  'artifact',
  'heartbeat',
  'result',
  'error',
  'bye',
])

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
