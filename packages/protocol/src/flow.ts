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
import { MAX_CONCURRENCY, MAX_NODES } from './limits.ts'
import { messageNameSchema, messagePart, messageRefSchema, nameSchema, portNameSchema, qualify } from './names.ts'

/** `live` reacts to events while active; `batch` runs once for each parameter set. */
export const flowModeSchema = z.enum(['live', 'batch']).meta({
  id: 'FlowMode',
  description: '`live` reacts to events while it is active; `batch` runs once for each set of parameters.',
})
/** How a flow executes. */
export type FlowMode = z.infer<typeof flowModeSchema>

const settingsSchema = z.record(z.string().max(200), z.json())
const secondsSchema = z.number().min(0).max(1e9)

/** A port as clients write it: `name` is the message it is wired to; `port` defaults to the message's own part. */
export const portInputSchema = z
  .strictObject({
    direction: z.enum(['input', 'output']).meta({ description: 'Whether the node reads or publishes here.' }),
    name: messageRefSchema.optional().meta({ description: 'The message: `temp`, or `climate.temp` of another flow.' }),
    port: portNameSchema.optional().meta({ description: 'Defaults to the message part of `name`.' }),
    dtype: dtypeInputSchema.default('any').meta({ description: 'Type of the values; another one is refused.' }),
    interval: secondsSchema.nullable().default(null).meta({ description: 'Seconds between two values on display.' }),
    stream: z
      .boolean()
      .default(false)
      .meta({ description: 'Outputs: values come while the node executes, and numbers of a run become a curve.' }),
    on_demand: z
      .boolean()
      .default(false)
      .meta({ description: 'Ports of devices: values are sent only while somebody wants them.' }),
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
    direction: z.enum(['input', 'output']).meta({ description: 'Whether the node reads or publishes here.' }),
    name: z
      .string()
      .meta({ description: 'The message as the document names it: `temp`, or `climate.temp` of another flow.' }),
    port: z.string().meta({ description: 'By which the code of the node knows it.' }),
    dtype: dtypeSchema.meta({ description: 'Type of the values.' }),
    interval: z.number().nullable().meta({ description: 'Seconds between two values on display; null for all.' }),
    stream: z
      .boolean()
      .meta({ description: 'Outputs: values come while the node executes, and numbers of a run become a curve.' }),
    on_demand: z.boolean().meta({ description: 'Ports of devices: values are sent only while somebody wants them.' }),
    trigger: z.boolean().meta({ description: 'Inputs: whether an arrival runs the node.' }),
    message: z.string().meta({ description: 'Qualified name of the message: `<flow>.<message>`.' }),
  })
  .meta({ id: 'Port' })
/** A port in normal form: wired to one message, of one dtype. */
export type Port = z.infer<typeof portSchema>

/** Where the code of a `code` node comes from (G64): the module and export, and the digest of its bundle. */
export const codeEntrySchema = z
  .strictObject({
    module: z.string().max(1000).meta({ description: 'Path of the module, from the folder of the project.' }),
    export: z.string().max(200).meta({ description: 'Its export that defines the node.' }),
    digest: digestSchema.meta({ description: 'Of the bundle that is executed.' }),
    modules: z
      .array(
        z.strictObject({
          path: z.string().meta({ description: 'From the folder of the project.' }),
          digest: digestSchema.meta({ description: 'Of the file.' }),
        }),
      )
      .max(10_000)
      .meta({ description: 'All files that are in the bundle.' }),
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
  id: nameSchema.meta({ description: 'Unique in the flow.' }),
  type: nameSchema.meta({ description: 'One of `GET /flows/node-types`.' }),
  title: z.string().max(200).default('').meta({ description: 'For people; empty when it has none.' }),
  settings: settingsSchema.default({}).meta({
    description:
      'By the JSON Schema that the type has as `params`. `{"$secret": "name"}` stands for a secret at any depth.',
  }),
  source: z
    .string()
    .max(1_000_000)
    .nullable()
    .optional()
    .meta({ description: 'Left out: the stored source is kept. Beside `library` it is only shown.' }),
  library: nameSchema
    .nullable()
    .default(null)
    .meta({ description: 'Name of the library source that the node executes; null: its own.' }),
  entry: codeEntrySchema
    .nullable()
    .default(null)
    .meta({ description: 'Where the code of a `code` node comes from; null of others.' }),
  worker: nameSchema
    .nullable()
    .default(null)
    .meta({ description: 'Label or name of the workers that execute it; null: the engine itself.' }),
  worker_policy: z
    .enum(['require', 'prefer'])
    .default('require')
    .meta({ description: '`prefer`: the engine executes it while no such worker is attached.' }),
  cache: z.boolean().default(true).meta({ description: 'Whether a run may take over stored outputs for it.' }),
  timeout: z.number().positive().max(1e9).nullable().default(null).meta({ description: 'Seconds of silence.' }),
  retry: nodeRetrySchema
    .nullable()
    .default(null)
    .meta({ description: 'Execute the node again when it fails, as far as its type may be repeated; null: once.' }),
}

/** A node as clients write it. */
export const nodeInputSchema = z
  .strictObject({
    ...nodeFields,
    ports: z
      .array(portInputSchema)
      .max(1000)
      .default([])
      .meta({ description: 'Its ports; some types have fixed ones.' }),
  })
  .meta({ id: 'NodeInput' })

/** A node in normal form. */
export const nodeSchema = z
  .object({
    id: z.string().meta({ description: 'Unique in the flow.' }),
    type: z.string().meta({ description: 'One of `GET /flows/node-types`.' }),
    title: z.string().meta({ description: 'For people; empty when it has none.' }),
    settings: settingsSchema.meta({ description: 'By the JSON Schema that the type has as `params`.' }),
    ports: z.array(portSchema).meta({ description: 'Its ports, in the order of the document.' }),
    source: z.string().nullable().meta({ description: 'Its code; null of types without code.' }),
    library: z
      .string()
      .nullable()
      .meta({ description: 'Name of the library source that the node executes; null: its own.' }),
    entry: codeEntrySchema
      .nullable()
      .meta({ description: 'Where the code of a `code` node comes from; null of others.' }),
    worker: z
      .string()
      .nullable()
      .meta({ description: 'Label or name of the workers that execute it; null: the engine itself.' }),
    worker_policy: z
      .enum(['require', 'prefer'])
      .meta({ description: '`prefer`: the engine executes it while no such worker is attached.' }),
    cache: z.boolean().meta({ description: 'Whether a run may take over stored outputs for it.' }),
    timeout: z
      .number()
      .nullable()
      .meta({ description: 'Seconds of silence after which an execution is ended; null: no limit of its own.' }),
    retry: nodeRetrySchema.nullable().meta({ description: 'How it is executed again when it fails; null: once.' }),
  })
  .meta({ id: 'Node' })
/** A node in normal form: every default filled in. */
export type FlowNode = z.infer<typeof nodeSchema>

/** A declared input; `initial: null` on a dtype other than `any` means that a run has to give the value. */
export const flowInputSchema = z
  .strictObject({
    name: messageNameSchema.meta({ description: 'Of the message, without the flow.' }),
    dtype: dtypeInputSchema.default('any').meta({ description: 'Type of the values.' }),
    initial: z.json().default(null).meta({
      description: 'Value before there is another one; null on a dtype other than `any`: a run has to give it.',
    }),
    title: z.string().max(200).default('').meta({ description: 'For people; empty when it has none.' }),
  })
  .meta({ id: 'FlowInput' })

/** A declared output: the message, and its key in a run's result. */
export const flowOutputSchema = z
  .strictObject({
    name: messageNameSchema.meta({ description: 'Of the message, without the flow.' }),
    port: portNameSchema.optional().meta({ description: 'Its key in the result of a run; the name unless given.' }),
  })
  .meta({ id: 'FlowOutput' })

const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'use the name of an environment variable')

/** What the flow's node processes get (`env`) and ask for; `memory` is in MB. */
export const resourcesSchema = z
  .strictObject({
    env: z
      .record(environmentName, z.string().max(32_768))
      .default({})
      .meta({ description: 'Variables of the environment of its node processes.' }),
    flavor: nameSchema.nullable().default(null).meta({ description: 'A named size; amounts beside it win.' }),
    cpus: cpusSchema.nullable().default(null).meta({ description: 'Processors that a call takes; null: any.' }),
    gpus: gpusSchema.nullable().default(null).meta({ description: 'GPUs that a call takes; null: any.' }),
    memory: memorySchema.nullable().default(null).meta({ description: 'Memory that a call takes, in MB; null: any.' }),
    // left out where there is none: documents of before keep their digests
    python: nameSchema.optional().meta({
      description: 'Name of the interpreter that executes the Python nodes; the usual one unless given.',
    }),
  })
  .meta({ id: 'Resources' })

const concurrencySchema = z.int().min(1).max(MAX_CONCURRENCY).nullable().default(null).meta({
  description: 'How many runs of the flow execute at once, in all engines together; null: no limit of its own.',
})

const readOnly = z.unknown().optional().meta({ description: 'Of answers; ignored in a request.' })

/** A flow document as clients write it: the body of `PUT /flows/{name}`. Unknown keys are refused. */
export const flowDocumentInputSchema = z
  .strictObject({
    name: nameSchema.optional().meta({ description: 'Of the path, where it is given.' }),
    title: z.string().max(200).default('').meta({ description: 'For people; empty when it has none.' }),
    description: z.string().max(20_000).default('').meta({ description: 'For people; empty when it has none.' }),
    version: z.int().min(0).default(0).meta({ description: 'The version read; 0 means "does not exist yet".' }),
    mode: flowModeSchema.default('live').meta({ description: 'Live or batch.' }),
    inputs: z.array(flowInputSchema).max(1000).default([]).meta({ description: 'Messages that come from outside.' }),
    outputs: z
      .array(flowOutputSchema)
      .max(1000)
      .default([])
      .meta({ description: 'Messages that are the result of a run.' }),
    nodes: z.array(nodeInputSchema).max(MAX_NODES).default([]).meta({ description: 'The graph.' }),
    resources: resourcesSchema.prefault({}).meta({ description: 'What its node processes get and ask for.' }),
    concurrency: concurrencySchema,
    layout: documentLayoutSchema.default({}).meta({ description: 'Where its nodes stand on a canvas.' }),
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
  .meta({
    id: 'FlowDocument',
    examples: [
      {
        title: 'Climate',
        version: 0,
        mode: 'live',
        nodes: [
          {
            id: 'clock',
            type: 'inject',
            settings: { interval: 10, payload: 21.5 },
            ports: [{ direction: 'output', name: 'temp', dtype: 'float' }],
          },
          {
            id: 'smooth',
            type: 'python',
            source: 'def run(temp):\n    return {"mean": temp}\n',
            ports: [
              { direction: 'input', name: 'temp', dtype: 'float' },
              { direction: 'output', name: 'mean', dtype: 'float' },
            ],
          },
        ],
      },
    ],
  })
/** A flow document as clients write it: what is left out has its default. */
export type FlowDocumentInput = z.input<typeof flowDocumentInputSchema>

/** A flow document in normal form: every default filled in, `port` and `message` of each port set. */
export const flowDocumentSchema = z.object({
  name: z.string().meta({ description: 'By which it is addressed.' }),
  title: z.string().meta({ description: 'For people; empty when it has none.' }),
  description: z.string().meta({ description: 'For people; empty when it has none.' }),
  version: z.int().meta({ description: 'Grows with every save; it is what a save or publish has to name.' }),
  mode: flowModeSchema.meta({ description: 'Live or batch.' }),
  inputs: z
    .array(
      z.object({
        name: z.string().meta({ description: 'Of the message, without the flow.' }),
        dtype: dtypeSchema.meta({ description: 'Type of the values.' }),
        initial: z.json().meta({ description: 'Value before there is another one.' }),
        title: z.string().meta({ description: 'For people; empty when it has none.' }),
      }),
    )
    .meta({ description: 'Messages that come from outside.' }),
  outputs: z
    .array(
      z.object({
        name: z.string().meta({ description: 'Of the message, without the flow.' }),
        port: z.string().meta({ description: 'Its key in the result of a run.' }),
      }),
    )
    .meta({ description: 'Messages that are the result of a run.' }),
  nodes: z.array(nodeSchema).meta({ description: 'The graph.' }),
  resources: z
    .object({
      env: z
        .record(z.string(), z.string())
        .meta({ description: 'Variables of the environment of its node processes.' }),
      flavor: z.string().nullable().meta({ description: 'A named size; amounts beside it win.' }),
      cpus: z.number().nullable().meta({ description: 'Processors that a call takes; null: any.' }),
      gpus: z.number().nullable().meta({ description: 'GPUs that a call takes; null: any.' }),
      memory: z.number().nullable().meta({ description: 'Memory that a call takes, in MB; null: any.' }),
      python: z.string().optional().meta({ description: 'Name of the interpreter that executes the Python nodes.' }),
    })
    .meta({ description: 'What its node processes get and ask for.' }),
  concurrency: concurrencySchema,
  layout: z.record(z.string(), z.json()).meta({ description: 'Where its nodes stand on a canvas.' }),
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
