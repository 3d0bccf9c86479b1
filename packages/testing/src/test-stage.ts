/**
 * One call of a stage or a function node, outside any engine: for unit tests of the code itself.
 * @module
 */
import { createHash } from 'node:crypto'

import type {
  Inputs,
  LatestType,
  NodeDefinition,
  Outputs,
  SettingsOf,
  StageDefinition,
  ValueOf,
  ValuesOf,
} from '@flow-service/flow-sdk'
import { type ArtifactRef, type CodeContext, describeValue, type Dtype } from '@flow-service/protocol'
import type * as z from 'zod'

import { generator, outcomeOf } from './call-definition.ts'

type Testable<I extends Inputs, O extends Outputs, S extends z.ZodObject> =
  | StageDefinition<I, O, S>
  | NodeDefinition<I, O, S>

type PassiveNames<I> = { [K in keyof I]: I[K] extends LatestType<unknown, Dtype> ? K : never }[keyof I]

/** Values of input ports by name; a passive one may be left out. */
export type StageTestInputs<I extends Inputs> = ValuesOf<Omit<I, PassiveNames<I>>> & {
  readonly [K in PassiveNames<I>]?: ValueOf<I[K]>
}

/** Settings as an author writes them, and what the call is told. */
export interface StageTestOptions<S extends z.ZodObject> {
  readonly settings?: SettingsOf<S>
  /** Seeds `ctx.random`; 0 unless given. */
  readonly seed?: number
  /** Aborts `ctx.signal`. */
  readonly signal?: AbortSignal
  /** Bytes that `ctx.loadArtifact` finds, by digest. */
  readonly artifacts?: ReadonlyMap<string, Uint8Array>
}

/** What a call did. */
export interface StageTest<O extends Outputs> {
  /** The final values by port; a port left out published nothing. */
  readonly outputs: Partial<ValuesOf<O>>
  /** Yielded and emitted values in order. */
  readonly emitted: readonly { readonly port: string; readonly value: unknown }[]
  readonly logs: readonly string[]
  /** Everything that was saved or given, by digest. */
  readonly artifacts: ReadonlyMap<string, Uint8Array>
}

/**
 * Calls a definition with these inputs; passive ones that are not given have their initial values. Rejects with what
 * the code throws, and with a TypeError for a value on a port that the definition does not have.
 * @example const { outputs, emitted } = await testStage(draw, { samples: 1000, seed: 1 }, { settings: { points: 5 } })
 */
export async function testStage<I extends Inputs, O extends Outputs, S extends z.ZodObject>(
  definition: Testable<I, O, S>,
  inputs: StageTestInputs<I>,
  options: StageTestOptions<S> = {},
): Promise<StageTest<O>> {
  const emitted: { port: string; value: unknown }[] = []
  const logs: string[] = []
  const artifacts = new Map(options.artifacts)
  const emit = (port: string, value: unknown): void => {
    if (value === undefined || value === null) return
    assertPort(definition, port)
    emitted.push({ port, value })
  }
  const settings = definition.settings?.parse(options.settings ?? {}) ?? {}
  // The definition's own types hold for its author; here any definition is called.
  const run = definition.run as (args: object, ctx: CodeContext) => unknown
  const context = contextOf({ emit, logs, artifacts }, options)
  const result = run({ ...definition.initials, ...inputs, ...settings }, context)
  const outputs = await outcomeOf(result, emit)
  for (const port of Object.keys(outputs ?? {})) assertPort(definition, port)
  return { outputs: (outputs ?? {}) as Partial<ValuesOf<O>>, emitted, logs, artifacts }
}

interface Recording {
  readonly emit: (port: string, value: unknown) => void
  readonly logs: string[]
  readonly artifacts: Map<string, Uint8Array>
}

function contextOf({ emit, logs, artifacts }: Recording, options: StageTestOptions<z.ZodObject>): CodeContext {
  return {
    emit,
    async saveArtifact(data, { name = '', mediaType = 'application/octet-stream', volatile = false } = {}) {
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
      artifacts.set(digest, bytes)
      return { digest, name, media_type: mediaType, size: bytes.length, volatile } satisfies ArtifactRef
    },
    async loadArtifact(ref) {
      const digest = typeof ref === 'string' ? ref : ref.digest
      const bytes = artifacts.get(digest)
      if (!bytes) throw new Error(`no artifact ${digest}; give its bytes with the option "artifacts"`)
      return bytes
    },
    signal: options.signal ?? new AbortController().signal,
    random: generator(options.seed ?? 0),
    log: (message, fields) => void logs.push(fields ? `${message} ${JSON.stringify(fields)}` : message),
    run: null,
    delivery: 'test',
  }
}

function assertPort(definition: { id: string; out: Outputs }, port: string): void {
  if (Object.hasOwn(definition.out, port)) return
  const known = Object.keys(definition.out).join(', ') || 'none'
  throw new TypeError(`${definition.id} gives ${describeValue(port)}, which is no output of it; its outputs: ${known}`)
}
