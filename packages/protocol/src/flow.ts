/**
 * The flow document: what clients write (`…InputSchema`), and its normal form, which answers carry and the engine runs.
 * Wire decisions G11, G13, G17, G23, G64. Schemas hold no transforms, so that OpenAPI can be generated from them;
 * `normalizeDocument` goes from one form to the other.
 * @module
 */
import * as z from 'zod'

import { digestSchema } from './artifact.ts'
import { dtypeInputSchema, dtypeSchema, normalDtype } from './dtype.ts'
import { cpusSchema, gpusSchema, memorySchema } from './flavor.ts'
import { documentLayoutSchema } from './flow-layout.ts'
import { MAX_CONCURRENCY } from './limits.ts'
import { messageNameSchema, messagePart, messageRefSchema, nameSchema, portNameSchema, qualify } from './names.ts'

/** `live` reacts to events while active; `batch` runs once for each parameter set. */
export const flowModeSchema = z.enum(['live', 'batch']).meta({ id: 'FlowMode' })
/** How a flow executes. */
export type FlowMode = z.infer<typeof flowModeSchema>

const settingsSchema = z.record(z.string().max(200), z.json())
const secondsSchema = z.number().min(0).max(1e9)

/** A port as clients write it: `name` is the message it is wired to; `port` defaults to the message's own part. */
export const portInputSchema = z
  .strictObject({
    direction: z.enum(['input', 'output']),
    name: messageRefSchema.optional().meta({ description: 'The message: `temp`, or `climate.temp` of another flow.' }),
    port: portNameSchema.optional().meta({ description: 'Defaults to the message part of `name`.' }),
    dtype: dtypeInputSchema.default('any'),
    interval: secondsSchema.nullable().default(null).meta({ description: 'Seconds between two values on display.' }),
    stream: z.boolean().default(false),
    on_demand: z.boolean().default(false),
    // some types decide it by themselves, so that what was left out has to be told from what was given
    trigger: z
      .boolean()
      .optional()
      .meta({ default: true, description: 'Inputs only: whether an arrival runs the node.' }),
    message: messageRefSchema.optional().meta({ description: 'Read in place of a missing `name`.' }),
  })
  .refine((port) => port.name !== undefined || port.message !== undefined, {
    path: ['name'],
    error: 'a port needs "name": the message it is wired to',
  })
  .meta({ id: 'PortInput' })

/** A port in normal form: `message` is always qualified. */
export const portSchema = z
  .object({
    direction: z.enum(['input', 'output']),
    name: z.string(),
    port: z.string(),
    dtype: dtypeSchema,
    interval: z.number().nullable(),
    stream: z.boolean(),
    on_demand: z.boolean(),
    trigger: z.boolean(),
    message: z.string(),
  })
  .meta({ id: 'Port' })
/** A port in normal form: wired to one message, of one dtype. */
export type Port = z.infer<typeof portSchema>

/** Where the code of a `code` node comes from (G64): the module and export, and the digest of its bundle. */
export const codeEntrySchema = z
  .strictObject({
    module: z.string().max(1000),
    export: z.string().max(200),
    digest: digestSchema,
    modules: z.array(z.strictObject({ path: z.string(), digest: digestSchema })).max(10_000),
  })
  .meta({ id: 'CodeEntry' })
/** The code behind a node of a flow in TypeScript. */
export type CodeEntry = z.infer<typeof codeEntrySchema>

/** How often a failing node of a run is executed, and the pauses between (R1). Seconds. */
export const nodeRetrySchema = z
  .strictObject({
    attempts: z.int().min(1).max(20).meta({ description: 'Executions in all, the first one included.' }),
    delay_s: z.number().min(0).max(86_400).default(1).meta({ description: 'Pause after the first failure.' }),
    factor: z.number().min(1).max(100).default(2).meta({ description: 'Of each pause to the one before.' }),
    max_delay_s: z.number().min(0).max(86_400).default(300).meta({ description: 'No pause is longer.' }),
  })
  .meta({ id: 'NodeRetry' })
/** How often a failing node is executed again, and after which pauses, in seconds. */
export type NodeRetry = z.infer<typeof nodeRetrySchema>

const nodeFields = {
  id: nameSchema,
  type: nameSchema,
  title: z.string().max(200).default(''),
  settings: settingsSchema.default({}),
  source: z
    .string()
    .max(1_000_000)
    .nullable()
    .optional()
    .meta({ description: 'Left out: the stored source is kept. Beside `library` it is only shown.' }),
  library: nameSchema.nullable().default(null),
  entry: codeEntrySchema.nullable().default(null),
  worker: nameSchema.nullable().default(null),
  worker_policy: z.enum(['require', 'prefer']).default('require'),
  cache: z.boolean().default(true),
  timeout: z.number().positive().max(1e9).nullable().default(null).meta({ description: 'Seconds of silence.' }),
  retry: nodeRetrySchema
    .nullable()
    .default(null)
    .meta({ description: 'Execute the node again when it fails, as far as its type may be repeated; null: once.' }),
}

/** A node as clients write it. */
export const nodeInputSchema = z
  .strictObject({ ...nodeFields, ports: z.array(portInputSchema).max(1000).default([]) })
  .meta({ id: 'NodeInput' })

/** A node in normal form. */
export const nodeSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    title: z.string(),
    settings: settingsSchema,
    ports: z.array(portSchema),
    source: z.string().nullable(),
    library: z.string().nullable(),
    entry: codeEntrySchema.nullable(),
    worker: z.string().nullable(),
    worker_policy: z.enum(['require', 'prefer']),
    cache: z.boolean(),
    timeout: z.number().nullable(),
    retry: nodeRetrySchema.nullable(),
  })
  .meta({ id: 'Node' })
/** A node in normal form: every default filled in. */
export type FlowNode = z.infer<typeof nodeSchema>

/** A declared input; `initial: null` on a dtype other than `any` means that a run has to give the value. */
export const flowInputSchema = z
  .strictObject({
    name: messageNameSchema,
    dtype: dtypeInputSchema.default('any'),
    initial: z.json().default(null),
    title: z.string().max(200).default(''),
  })
  .meta({ id: 'FlowInput' })

/** A declared output: the message, and its key in a run's result. */
export const flowOutputSchema = z
  .strictObject({ name: messageNameSchema, port: portNameSchema.optional() })
  .meta({ id: 'FlowOutput' })

const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'use the name of an environment variable')

/** What the flow's node processes get (`env`) and ask for; `memory` is in MB. */
export const resourcesSchema = z
  .strictObject({
    env: z.record(environmentName, z.string().max(32_768)).default({}),
    flavor: nameSchema.nullable().default(null),
    cpus: cpusSchema.nullable().default(null),
    gpus: gpusSchema.nullable().default(null),
    memory: memorySchema.nullable().default(null),
  })
  .meta({ id: 'Resources' })

const concurrencySchema = z.int().min(1).max(MAX_CONCURRENCY).nullable().default(null).meta({
  description: 'How many runs of the flow execute at once, in all engines together; null: no limit of its own.',
})

const readOnly = z.unknown().optional().meta({ description: 'Of answers; ignored in a request.' })

/** A flow document as clients write it: the body of `PUT /flows/{name}`. Unknown keys are refused. */
export const flowDocumentInputSchema = z
  .strictObject({
    name: nameSchema.optional(),
    title: z.string().max(200).default(''),
    description: z.string().max(20_000).default(''),
    version: z.int().min(0).default(0).meta({ description: 'The version read; 0 means "does not exist yet".' }),
    mode: flowModeSchema.default('live'),
    inputs: z.array(flowInputSchema).max(1000).default([]),
    outputs: z.array(flowOutputSchema).max(1000).default([]),
    nodes: z.array(nodeInputSchema).max(100_000).default([]),
    resources: resourcesSchema.prefault({}),
    concurrency: concurrencySchema,
    layout: documentLayoutSchema.default({}),
    status: readOnly,
    issues: readOnly,
    held: readOnly,
    has_draft: readOnly,
    published_version: readOnly,
    is_draft: readOnly,
    origin: readOnly,
    code: readOnly,
    node_states: readOnly,
    created_at: readOnly,
    updated_at: readOnly,
    updated_by: readOnly,
  })
  .meta({ id: 'FlowDocument' })
/** A flow document as clients write it: what is left out has its default. */
export type FlowDocumentInput = z.input<typeof flowDocumentInputSchema>

/** A flow document in normal form: every default filled in, `port` and `message` of each port set. */
export const flowDocumentSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  version: z.int(),
  mode: flowModeSchema,
  inputs: z.array(z.object({ name: z.string(), dtype: dtypeSchema, initial: z.json(), title: z.string() })),
  outputs: z.array(z.object({ name: z.string(), port: z.string() })),
  nodes: z.array(nodeSchema),
  resources: z.object({
    env: z.record(z.string(), z.string()),
    flavor: z.string().nullable(),
    cpus: z.number().nullable(),
    gpus: z.number().nullable(),
    memory: z.number().nullable(),
  }),
  concurrency: concurrencySchema,
  layout: z.record(z.string(), z.json()),
})
/** A flow document in normal form, as answers have it. */
export type FlowDocument = z.infer<typeof flowDocumentSchema>

/**
 * The normal form of a parsed document under the name of its path. `sourceOf` gives the stored source of a node whose
 * `source` was left out, `triggerOf` the `trigger` of an input without one, which is true unless its type decides it.
 * Idempotent: the normal form of a normal form is itself.
 */
export function normalizeDocument(
  name: string,
  input: z.output<typeof flowDocumentInputSchema>,
  sourceOf: (nodeId: string) => string | null = () => null,
  triggerOf: (node: Pick<FlowNode, 'type' | 'settings'>, port: string) => boolean | undefined = () => undefined,
): FlowDocument {
  const { title, description, version, mode, resources, concurrency, layout } = input
  return {
    name,
    title,
    description,
    version,
    mode,
    inputs: input.inputs.map((item) => ({ ...item, dtype: normalDtype(item.dtype) })),
    outputs: input.outputs.map((item) => ({ name: item.name, port: item.port ?? item.name })),
    nodes: input.nodes.map((node) => ({
      ...node,
      source: node.source === undefined ? sourceOf(node.id) : node.source,
      ports: node.ports.map((port) => normalizePort(name, port, (known) => triggerOf(node, known))),
    })),
    resources,
    concurrency,
    layout: layout as FlowDocument['layout'],
  }
}

function normalizePort(
  flow: string,
  given: z.output<typeof portInputSchema>,
  triggerOf: (port: string) => boolean | undefined,
): Port {
  const name = given.name ?? given.message ?? ''
  const port = given.port ?? messagePart(name)
  const { direction, interval, stream, on_demand } = given
  return {
    direction,
    name,
    port,
    dtype: normalDtype(given.dtype),
    interval,
    stream,
    on_demand,
    trigger: given.trigger ?? (direction === 'output' ? true : (triggerOf(port) ?? true)),
    message: qualify(flow, name),
  }
}
