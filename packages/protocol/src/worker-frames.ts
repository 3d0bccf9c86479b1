/**
 * Frames between engine and worker, protocol version 1 (wire decisions G54, S4). JSON objects, `type` first.
 * In process the same objects travel without being serialised.
 * @module
 */
import * as z from 'zod'

import { artifactRefSchema } from './artifact.ts'
import { dtypeSchema } from './dtype.ts'

/** Version of this protocol; engine and worker must speak the same. */
export const WORKER_PROTOCOL = 1

const values = z.record(z.string(), z.unknown())
/** What a worker says of itself is stored, and listed for everybody. */
const word = z.string().max(1000)
const amount = z.number().min(0).max(1e12)
const failure = z.object({ type: z.string(), message: z.string(), traceback: z.string().nullable() })

/**
 * An interpreter of a worker (wire decision V16): its packages by name, and by the first part of a name to import the
 * packages that it comes from. `name` is what flows ask for by `resources.python`, null of the one that others get.
 */
const python = z.object({
  name: word.nullable(),
  version: word,
  packages: z.record(word, word),
  imports: z.record(word, z.array(word)),
})
/** Not told by workers of a version that has none. */
const pythons = z.array(python).max(100)

/** What a value is whose JSON is stored. */
const storedKind = z.enum(['object', 'array', 'string'])
export type StoredKind = z.infer<typeof storedKind>

const amounts = z.object({ cpus: amount, gpus: amount, ram_mb: amount })

/** What stands in a `hello` is said again in its welcome, which has the same limit as any frame. */
const callId = z.string().max(200)
/** Of a frame that belongs to a call: one more with each, over all calls of a session (wire decision U23). */
const seq = z.int().min(1).optional()
/** A call, and the number of the last frame of it that the sender has: 0 before the first. */
const mark = z.object({ call: callId, seq: z.int().min(0) })
const marks = z.array(mark).max(10_000)
const session = z
  .string()
  .max(200)
  .regex(/^\P{Cc}*$/u)

/**
 * First frame of a worker. One with `resume` can come back to its calls after its link broke: `session` is that of the
 * welcome before, null at first, and `calls` are those that it has begun or still has frames of.
 */
export const helloFrameSchema = z.object({
  type: z.literal('hello'),
  protocol: z.literal(WORKER_PROTOCOL),
  version: word,
  name: word,
  labels: z.array(word).max(1000),
  parallel: z.int().min(1),
  resources: amounts,
  python: word.nullable(),
  pythons: pythons.optional(),
  /** It knows `stored_inputs` and `store_over`. */
  stores: z.boolean().optional(),
  platform: word,
  resume: z.object({ session: session.nullable(), calls: marks }).optional(),
})

/**
 * A `hello` of another version: the members that every version has, so that its worker can be refused by name. What
 * else it holds is dropped.
 */
export const foreignHelloFrameSchema = z.object({
  type: z.literal('hello'),
  protocol: z.int().refine((version) => version !== WORKER_PROTOCOL),
  version: word,
  name: word,
})

/** Where workers attach to the engines of one database, as each of these says it of itself. */
const engines = z.array(z.string().max(2000)).max(1000)

/**
 * Answer to `hello`; both intervals are in seconds. Without `runtime` the worker uses the runner that it brings. `engines`
 * are all that a worker may attach to, and `url` is this one among them, null when it names none. An engine that sends
 * them understands `busy`. With `resume_s` the worker numbers the frames of its calls by `seq`, keeps those of batch calls
 * until they are acknowledged, and has so many seconds to come back with the `session` when the link is lost. Then `resumed`
 * are the calls that go on, each with the last frame that the engine has had, and `dropped` those that end without a word.
 */
export const welcomeFrameSchema = z.object({
  type: z.literal('welcome'),
  worker: z.string(),
  name: z.string(),
  labels: z.array(z.string()),
  protocol: z.int(),
  engine_version: z.string(),
  runtime: z.object({ digest: z.string(), path: z.string() }).nullable(),
  heartbeat_s: z.number(),
  silence_s: z.number(),
  url: z.string().nullable().optional(),
  engines: engines.optional(),
  resume_s: z.number().optional(),
  session: session.optional(),
  resumed: marks.optional(),
  dropped: z.array(callId).max(100_000).optional(),
})

/** Engines have come or gone. */
export const enginesFrameSchema = z.object({ type: z.literal('engines'), engines })

/** The worker is not accepted; the socket closes with 4001. It is the same in every version, for all have to read it. */
export const refusedFrameSchema = z.object({
  type: z.literal('refused'),
  code: z.enum(['protocol_mismatch', 'labels_mismatch']),
  protocol: z.int(),
  detail: z.string(),
})

/**
 * Execute node code. `source` is Python text, or the text of a TypeScript bundle; `entry` is the function's name in it.
 * `seed` feeds the code's own generator of numbers. `timeout_s` is the silence that ends the call. A port without a
 * value is null in `inputs`, or left out. `demand` is what it takes of the worker, which several engines may share.
 * `stored_inputs` are the ports whose value is the reference of an artifact with the JSON of what the code gets. With
 * `store_over` outputs whose JSON has more bytes become such artifacts. `python` names the interpreter of Python source.
 */
export const callFrameSchema = z.object({
  type: z.literal('call'),
  call: z.string(),
  attempt: z.int(),
  flow: z.string(),
  node: z.string(),
  run: z.string().nullable(),
  mode: z.enum(['live', 'batch']),
  kind: z.enum(['python', 'code']),
  source: z.string(),
  source_digest: z.string(),
  entry: z.string(),
  settings: values,
  inputs: values,
  input_ports: z.array(z.object({ port: z.string(), dtype: dtypeSchema, trigger: z.boolean() })),
  outputs: z.array(z.object({ port: z.string(), dtype: dtypeSchema, stream: z.boolean() })),
  env: z.record(z.string(), z.string()),
  seed: z.string(),
  timeout_s: z.number().nullable(),
  demand: amounts.optional(),
  stored_inputs: z.array(z.string()).optional(),
  store_over: z.int().min(0).optional(),
  python: z.string().optional(),
})

/** Stop a call: SIGTERM to its process group, SIGKILL 5 seconds later. */
export const cancelFrameSchema = z.object({ type: z.literal('cancel'), call: z.string() })
/** A live node was stopped or its source changed: end its warm process. */
export const releaseFrameSchema = z.object({ type: z.literal('release'), flow: z.string(), node: z.string() })
/** All frames up to this one are safe: the worker may forget them. Each second, and more often while many come. */
export const ackFrameSchema = z.object({ type: z.literal('ack'), seq: z.int().min(0) })
/** Take no more calls. */
export const drainFrameSchema = z.object({ type: z.literal('drain') })

/** A process has begun to execute the call. */
export const startedFrameSchema = z.object({ type: z.literal('started'), call: callId, pid: z.int(), seq })
/** Emitted values with their times in milliseconds since the Unix epoch, in order. */
export const emitFrameSchema = z.object({
  type: z.literal('emit'),
  call: z.string(),
  batch: z.array(z.tuple([values, z.number()])),
  seq,
})
/** Output of the process. */
export const logFrameSchema = z.object({
  type: z.literal('log'),
  call: z.string(),
  stream: z.enum(['stdout', 'stderr']),
  text: z.string(),
  seq,
})
/** The call's code has stored bytes; sent before what the code learns of it. */
export const artifactFrameSchema = z.object({ type: z.literal('artifact'), call: callId, ref: artifactRefSchema, seq })
/** Calls that are alive, every 10 seconds while there is one. */
export const heartbeatFrameSchema = z.object({ type: z.literal('heartbeat'), calls: z.array(z.string()) })
/** The call has ended well; ports without a value are left out. `stored` are those with a reference in its place. */
export const resultFrameSchema = z.object({
  type: z.literal('result'),
  call: callId,
  outputs: values,
  stored: z.record(z.string(), storedKind).optional(),
  seq,
})
/**
 * The call has failed; `error.type` is the exception's name, or `timeout`, `cancelled`, `process_died`, `worker_lost`,
 * `buffer_full`.
 */
export const failureFrameSchema = z.object({ type: z.literal('error'), call: callId, error: failure, seq })
/** The call was not begun: calls of other engines have taken its place. It may be sent again when there is one. */
export const busyFrameSchema = z.object({ type: z.literal('busy'), call: callId, seq })
/** What calls of other engines take of the worker now, and what is kept for these. */
export const sharedFrameSchema = z.object({ type: z.literal('shared'), calls: z.int().min(0), resources: amounts })
/** Packages of interpreters have changed since `hello`; said before what executes with them. */
export const pythonsFrameSchema = z.object({ type: z.literal('pythons'), pythons })
/** The worker leaves. */
export const byeFrameSchema = z.object({ type: z.literal('bye'), reason: z.enum(['max_idle', 'shutdown']) })

/** Any frame from the engine. */
export const engineFrameSchema = z.discriminatedUnion('type', [
  welcomeFrameSchema,
  refusedFrameSchema,
  callFrameSchema,
  cancelFrameSchema,
  releaseFrameSchema,
  drainFrameSchema,
  enginesFrameSchema,
  ackFrameSchema,
])
export type EngineFrame = z.infer<typeof engineFrameSchema>
export type CallFrame = z.infer<typeof callFrameSchema>

const ownWorkerFrameSchema = z.discriminatedUnion('type', [
  helloFrameSchema,
  startedFrameSchema,
  emitFrameSchema,
  logFrameSchema,
  artifactFrameSchema,
  heartbeatFrameSchema,
  resultFrameSchema,
  failureFrameSchema,
  busyFrameSchema,
  sharedFrameSchema,
  pythonsFrameSchema,
  byeFrameSchema,
])

/** Any frame from a worker. */
export const workerFrameSchema = z.union([ownWorkerFrameSchema, foreignHelloFrameSchema])
export type WorkerFrame = z.infer<typeof workerFrameSchema>
export type HelloFrame = z.infer<typeof helloFrameSchema>
export type ForeignHelloFrame = z.infer<typeof foreignHelloFrameSchema>
export type RefusedFrame = z.infer<typeof refusedFrameSchema>
export type WorkerPython = z.infer<typeof python>
export type SharedFrame = z.infer<typeof sharedFrameSchema>
export type WelcomeFrame = z.infer<typeof welcomeFrameSchema>
export type CallFailure = z.infer<typeof failure>
/** A call, and the number of the last frame of it that a side has; 0 for none. */
export type CallMark = z.infer<typeof mark>

/** A text that is no frame: why not, and the call that it names. */
export interface MalformedFrame {
  readonly reason: string
  readonly call: string | null
}

/** The engine's frame of a text; null when it is of a type that a later version has added. */
export const readEngineFrame = (text: string): EngineFrame | MalformedFrame | null =>
  read(text, engineFrameSchema, engineTypes)
/** The worker's frame of a text; null when it is of a type that a later version has added. */
export const readWorkerFrame = (text: string): WorkerFrame | MalformedFrame | null =>
  read(text, workerFrameSchema, workerTypes)

/** The end of a call that a malformed frame of `sender` names: whoever waits for it would wait for ever. */
export const endOfMalformed = (call: string, reason: string, sender: 'engine' | 'worker'): WorkerFrame => ({
  type: 'error',
  call,
  error: {
    type: 'malformed_frame',
    message: `the ${sender} sent what is no frame of the protocol: ${reason}`,
    traceback: null,
  },
})

const typesOf = (options: readonly { readonly shape: { readonly type: z.ZodLiteral<string> } }[]) =>
  new Set(options.map(({ shape }) => shape.type.value))
const engineTypes = typesOf(engineFrameSchema.options)
const workerTypes = typesOf(ownWorkerFrameSchema.options)

function read<F>(text: string, schema: z.ZodType<F>, types: ReadonlySet<string>): F | MalformedFrame | null {
  const value = jsonOf(text)
  const parsed = schema.safeParse(value)
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
