/**
 * Provisioners: where the engine may start workers by itself, and how it fares there (wire decisions G57, U21). The file
 * `provisioners.json` of the data directory is a list of them.
 * @module
 */
import * as z from 'zod'

import { nameSchema } from './names.ts'
import { timestampSchema } from './time.ts'
import { workerLabelsSchema } from './worker.ts'

/** Characters of the names of a provisioner and one of its profiles together: the name of a worker holds both. */
const MAX_NAMES = 90
/** Timers of a worker hold no more seconds. */
const MAX_SECONDS = 2_000_000

/** One line of text: what stands in it becomes a word of a command, or a line of a script. */
const lineSchema = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^(?:\t|\P{Cc})+$/u, 'use one line, without control characters')

/** `ssh` reads a word with a leading hyphen as an option, and shells read others: both have no place in an address. */
const loginSchema = z
  .string()
  .max(255)
  .regex(
    /^(?:ssh:\/\/)?(?:\w[\w.+@-]*@)?(?:[A-Za-z0-9_][\w.-]*|\[?[0-9A-Fa-f]*:[0-9A-Fa-f:.]*\]?)(?::\d{1,5})?$/,
    'use an address for ssh: a host, or user@host',
  )

const engineUrlSchema = z
  .string()
  .max(1000)
  .superRefine((text, issues) => {
    const remedy = faultOfEngineUrl(text)
    if (remedy !== null) issues.addIssue({ code: 'custom', message: remedy })
  })

/** Why no worker could attach there; null when one could. */
function faultOfEngineUrl(text: string): string | null {
  const url = URL.parse(text)
  const example = 'as in wss://flows.example.com/api/v1/workers/attach'
  if (!url || !['ws:', 'wss:'].includes(url.protocol))
    return `use an address that begins with wss:// or ws://, ${example}`
  if (url.username !== '' || url.password !== '') return "leave out user and password: the worker's token signs it in"
  if (url.search !== '' || url.hash !== '') return 'use an address with nothing after its path'
  if (!url.pathname.endsWith('/workers/attach')) return `use an address that ends in /workers/attach, ${example}`
  return url.protocol === 'wss:' || isLoopback(url)
    ? null
    : 'use wss://, or a tunnel to 127.0.0.1: a worker sends its token to another machine over TLS alone'
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

const dashboardSchema = z
  .string()
  .max(1000)
  .superRefine((text, issues) => {
    const remedy = faultOfDashboard(text)
    if (remedy !== null) issues.addIssue({ code: 'custom', message: remedy })
  })

/** Why jobs should not be handed in there; null when they may. */
function faultOfDashboard(text: string): string | null {
  const url = URL.parse(text)
  const example = 'as in http://127.0.0.1:8265'
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return `use an address that begins with https:// or http://, ${example}`
  if (url.username !== '' || url.password !== '') return 'leave out user and password: token_env names a bearer token'
  if (url.search !== '' || url.hash !== '') return 'use an address with nothing after its path'
  return url.protocol === 'https:' || isLoopback(url)
    ? null
    : 'use https://, or a tunnel to 127.0.0.1: the tokens of workers go to another machine over TLS alone'
}

/** Options of `sbatch` that the engine gives itself, or that would keep it from hearing of the job. */
const ownOptions = ['array', 'comment', 'help', 'parsable', 'test-only', 'version', 'wait', 'wrap']

/** Long options may be cut, as in `--comm`: those that are too short for `sbatch` are refused with them. */
function isOption(arg: string, short: RegExp, long: readonly string[]): boolean {
  const name = /^--([\w-]+)/.exec(arg)?.[1]
  return name === undefined ? short.test(arg) : long.some((option) => option.startsWith(name))
}

const submitArgSchema = lineSchema
  .refine((arg) => !isOption(arg, /^-[aWhV]/, ownOptions), {
    error: ({ input }) => `leave ${String(input)} out: the engine decides it`,
  })
  .refine((arg) => !isOption(arg, /^-M/, ['clusters']), {
    error: ({ input }) => `leave ${String(input)} out: give it to submit_command, cancel_command and list_command`,
  })

const resourcesSchema = z.record(
  z
    .string()
    .max(100)
    // Ray has its own by the numbers of the profile
    .regex(/^(?!(?:CPU|GPU|memory|object_store_memory)$)[\w.:/-]+$/),
  z.number().positive().max(1e9),
  {
    error: ({ code }) =>
      code === 'invalid_key' ? 'use the name of a custom resource, such as TPU or accelerator_type:A100' : undefined,
  },
)

const commandSchema = z.array(lineSchema).min(1).max(20)
/** Of `sbatch`, which takes its options from here as well. */
const submitCommandSchema = z
  .array(
    lineSchema.refine((word) => !isOption(word, /^$/, ownOptions), {
      error: ({ input }) => `leave ${String(input)} out: the engine decides it`,
    }),
  )
  .min(1)
  .max(20)

/** What sizes of workers have in common, whoever starts them. */
const profileShape = {
  name: nameSchema,
  cpus: z.number().positive().max(100_000).meta({ description: 'Processors that the worker offers.' }),
  gpus: z.int().min(0).max(100_000).default(0).meta({ description: 'GPUs that it offers.' }),
  ram_mb: z.int().min(1).max(1e9).meta({ description: 'Memory that it offers, in MB.' }),
  labels: workerLabelsSchema
    .min(1, 'give at least one label: nodes ask for workers by it')
    .meta({ description: 'What nodes ask for by `worker`.' }),
  prerun: z
    .array(lineSchema)
    .max(100)
    .default([])
    .meta({ description: 'Lines of shell before the worker starts; one that fails ends the job.' }),
  max_workers: z.int().min(1).max(1000).default(1).meta({ description: 'Workers of the profile at a time.' }),
}

/** A size of worker of a batch scheduler. */
const batchProfileSchema = z
  .strictObject({
    ...profileShape,
    submit_args: z
      .array(submitArgSchema)
      .max(100)
      .default([])
      .meta({ description: 'Options of sbatch, in this order: what the scheduler gives the job.' }),
  })
  .meta({ id: 'ProvisionerProfile' })

/** A size of worker of a Ray cluster, which reserves what the worker offers. */
const rayProfileSchema = z
  .strictObject({
    ...profileShape,
    resources: resourcesSchema
      .default({})
      .meta({ description: 'Custom resources of the Ray cluster that the job reserves, by their names.' }),
  })
  .meta({ id: 'RayProfile' })

/** A size of worker that a provisioner can start. */
export type ProvisionerProfile = z.output<typeof batchProfileSchema> | z.output<typeof rayProfileSchema>

const secondsSchema = z.number().min(0).max(MAX_SECONDS)

const sharedShape = {
  engine_url: engineUrlSchema.meta({ description: 'Where its workers attach to the engine.' }),
  max_idle_s: secondsSchema
    .default(600)
    .meta({ description: 'Seconds without a call after which a worker ends; 0 is never.' }),
  provision_timeout_s: secondsSchema
    .default(900)
    .meta({ description: 'Seconds that a job has to attach; 0 is for ever.' }),
}

/** A batch scheduler whose commands are those of Slurm, behind `ssh`. */
const batchSchedulerSchema = z
  .strictObject({
    type: z.literal('batch_scheduler'),
    name: nameSchema,
    login: loginSchema.meta({ description: 'What ssh connects to: user@host, or a host of its configuration.' }),
    ssh_key: lineSchema
      .regex(/^[^-]/, 'use a path that does not begin with "-"')
      .nullable()
      .default(null)
      .meta({ description: 'Path of the private key; null leaves the choice to ssh.' }),
    ...sharedShape,
    submit_command: submitCommandSchema.default(['sbatch']).meta({ description: 'The program in place of sbatch.' }),
    cancel_command: commandSchema.default(['scancel']).meta({ description: 'The program in place of scancel.' }),
    list_command: commandSchema.default(['squeue']).meta({ description: 'The program in place of squeue.' }),
    profiles: z.array(batchProfileSchema).min(1).max(100),
  })
  .meta({ id: 'BatchScheduler' })
/** A batch scheduler whose commands are those of Slurm, behind `ssh`. */
export type BatchScheduler = z.output<typeof batchSchedulerSchema>

/** A Ray cluster, behind the address of its dashboard. */
const rayClusterSchema = z
  .strictObject({
    type: z.literal('ray'),
    name: nameSchema,
    address: dashboardSchema.meta({ description: 'Of its dashboard, as in http://127.0.0.1:8265.' }),
    token_env: z
      .string()
      .max(200)
      .regex(/^[A-Za-z_]\w*$/, 'use the name of a variable, such as RAY_AUTH_TOKEN')
      .nullable()
      .default(null)
      .meta({
        description: "Variable of the engine's environment with the bearer token of the dashboard; null for none.",
      }),
    ...sharedShape,
    profiles: z.array(rayProfileSchema).min(1).max(100),
  })
  .meta({ id: 'RayCluster' })
/** A Ray cluster, behind the address of its dashboard. */
export type RayCluster = z.output<typeof rayClusterSchema>

const provisionerSchema = z.discriminatedUnion('type', [batchSchedulerSchema, rayClusterSchema], {
  error: ({ code }) =>
    code === 'invalid_union' ? 'use "batch_scheduler" or "ray": the engine knows no other type' : undefined,
})
/** A place where the engine may start workers. */
export type Provisioner = z.output<typeof provisionerSchema>

/** `provisioners.json`. */
export const provisionersFileSchema = z
  .array(provisionerSchema)
  .max(100)
  .superRefine((provisioners, issues) => {
    const complain = (path: PropertyKey[], message: string): void => {
      issues.addIssue({ code: 'custom', path, message })
    }
    for (const at of repeated(provisioners)) complain([at, 'name'], 'use a name that no other provisioner has')
    for (const [at, { name, profiles }] of provisioners.entries()) {
      for (const of of repeated(profiles))
        complain([at, 'profiles', of, 'name'], 'use a name that no other profile has')
      for (const [of, profile] of profiles.entries()) {
        if (name.length + profile.name.length > MAX_NAMES)
          complain([at, 'profiles', of, 'name'], `use at most ${MAX_NAMES} characters together with the provisioner's`)
      }
    }
  })

/** Places of those whose name another one has before them. */
const repeated = (named: readonly { readonly name: string }[]): number[] =>
  named.flatMap(({ name }, at) => (named.findIndex((other) => other.name === name) < at ? [at] : []))

/** How a profile fares. */
const profileStateSchema = z
  .object({
    name: z.string().meta({ description: 'Of the profile.' }),
    labels: z.array(z.string()).meta({ description: 'Labels of its workers.' }),
    cpus: z.number().meta({ description: 'Processors that a worker of it offers.' }),
    gpus: z.number().meta({ description: 'GPUs that it offers.' }),
    ram_mb: z.number().meta({ description: 'Memory that it offers, in MB.' }),
    state: z.enum(['idle', 'pending', 'attached', 'failed']).meta({
      description:
        '`pending`: a job is handed in, and no worker of it has attached yet. `failed`: the last one came to nothing; `error` says why.',
    }),
    job: z.string().nullable().meta({ description: 'Id of the job that is pending or attached.' }),
    requested_at: timestampSchema.nullable().meta({ description: 'When the job was asked for.' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why the last job came to nothing, in the words of its scheduler.' }),
  })
  .meta({ id: 'ProvisionerProfileState' })

/** How a provisioner fares. */
export const provisionerStateSchema = z
  .object({
    name: z.string().meta({ description: 'Of the provisioner.' }),
    type: z.string().meta({ description: '`batch_scheduler` or `ray`.' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why its scheduler cannot be reached; null when it could be, last.' }),
    profiles: z.array(profileStateSchema).meta({ description: 'Its sizes of workers, and how each fares.' }),
  })
  .meta({ id: 'ProvisionerState' })
/** How a provisioner fares. */
export type ProvisionerState = z.infer<typeof provisionerStateSchema>

/** What a test of a profile does, in this order. */
export const provisionerTestSteps = ['ssh', 'submit', 'running', 'attached', 'called', 'cancelled'] as const

/** A test of a profile that was begun. */
export const provisionerTestBegunSchema = z
  .object({ test: z.string().meta({ description: 'By which its steps are read.' }) })
  .meta({ id: 'ProvisionerTestBegun' })

/** How far a test of a profile has come. */
export const provisionerTestSchema = z
  .object({
    state: z.enum(['running', 'ok', 'failed']).meta({ description: 'Whether it goes on, and how it ended.' }),
    steps: z
      .array(
        z
          .object({
            step: z.enum(provisionerTestSteps).meta({ description: 'What was done.' }),
            ok: z.boolean().meta({ description: 'Whether that went well.' }),
            detail: z.string().meta({ description: 'What came of it, or why it failed.' }),
            at: timestampSchema,
          })
          .meta({ id: 'ProvisionerTestStep' }),
      )
      .meta({ description: 'What was done so far, in order.' }),
  })
  .meta({ id: 'ProvisionerTest' })
/** How far a test of a profile has come. */
export type ProvisionerTest = z.infer<typeof provisionerTestSchema>
