/**
 * What an agent is told at its start.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { availableParallelism, hostname, tmpdir, totalmem } from 'node:os'

import { markOf } from './environment.ts'
import type { Inspect } from './inspection.ts'
import type { Interpreter } from './interpreter.ts'
import { PythonEnvironments } from './python-environments.ts'

/** Options of {@link createWorker}. */
export interface WorkerOptions {
  /** The host's name unless given. */
  readonly name?: string
  readonly labels?: readonly string[]
  /** Calls at a time that the worker offers; the number of processors unless given. */
  readonly parallel?: number
  /** What the machine has, unless given. */
  readonly resources?: Resources
  /** Names this agent over restarts, e.g. its data directory. What it left behind when it was killed is swept. */
  readonly id?: string
  /** Where the temporary directory is made; the system's unless given. */
  readonly directory?: string
  /** Path of the interpreter, null for none; looked for unless given. */
  readonly python?: string | null
  /** The interpreter of `python`, where it is being looked for already: a start need not wait for that. */
  readonly interpreter?: Promise<Interpreter | null>
  /** Interpreters that flows ask for by name; none unless given. */
  readonly pythons?: PythonEnvironments
  /** Variables of all node code, without credential-like names; `process.env` unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Tell the engine which packages the interpreters have; one on its own machine looks for itself. */
  readonly tellsPackages?: boolean
  /** Start spare processes of all kinds at once instead of at the first call; see {@link Worker.prepare}. */
  readonly warm?: boolean
  /** How long a spare process waits for its call before it ends, in seconds; 600 unless given. */
  readonly idleS?: number
  /** Whether Python processes are forks of one zygote; unless given, where the platform has forks. */
  readonly fork?: boolean
  /** Opens debuggers in its processes; none unless given. */
  readonly inspect?: Inspect
  /** Hears how many calls there are, whenever one has come or gone. */
  readonly onCalls?: (calls: number) => void
}

/** `ram_mb` is in MiB. */
export interface Resources {
  readonly cpus: number
  readonly gpus: number
  readonly ram_mb: number
}

/** Options with every default filled in. `mark` is short and stands for `id`. */
export type FullOptions = Required<Omit<WorkerOptions, 'id' | 'inspect' | 'interpreter' | 'python'>> & {
  readonly inspect: Inspect | null
  readonly interpreter: Promise<Interpreter | null> | null
  readonly mark: string
  readonly python: string | null | undefined
}

/** Fills in what an option says of its default. */
export function withDefaults(options: WorkerOptions): FullOptions {
  return {
    name: options.name ?? hostname(),
    labels: options.labels ?? [],
    parallel: options.parallel ?? availableParallelism(),
    resources: options.resources ?? {
      cpus: availableParallelism(),
      gpus: 0,
      ram_mb: Math.floor(totalmem() / 1024 / 1024),
    },
    mark: markOf(options.id ?? randomUUID()),
    directory: options.directory ?? tmpdir(),
    python: options.python,
    interpreter: options.interpreter ?? null,
    pythons: options.pythons ?? new PythonEnvironments(),
    env: options.env ?? process.env,
    tellsPackages: options.tellsPackages ?? false,
    warm: options.warm ?? false,
    idleS: options.idleS ?? 600,
    fork: options.fork ?? process.platform !== 'win32',
    inspect: options.inspect ?? null,
    onCalls: options.onCalls ?? (() => undefined),
  }
}
