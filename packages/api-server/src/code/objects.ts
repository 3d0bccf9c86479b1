/**
 * Flows and dashboards given as objects (`createService({ flows: [fit] })`): their closures execute in the engine's process, by the
 * same rules as in a process of their own, but cancel and timeout are cooperative: code that ignores `ctx.signal` goes
 * on, and its outcome is dropped.
 * @module
 */
import { hash } from 'node:crypto'
import { fileURLToPath } from 'node:url'

import { type CodeCall, CodeError, tracebackOf, withStored } from '@flow-service/core'
import {
  type ArtifactRef,
  type AnyFlow,
  canonicalJson,
  type CodeEntry,
  type CodeContext,
  type DashboardObject,
  type Definition,
  flowDocumentInputSchema,
  normalizeDocument,
} from '@flow-service/protocol'
import { Execution, Silence } from '@flow-service/worker-agent'

import type { Artifacts } from '../artifacts/artifacts.ts'
import { callFrame } from '../workers/call-frame.ts'
import { readPythonFile } from './python-modules.ts'
import { type RegisteredDashboard, registeredDashboard } from './registered-dashboard.ts'
import type { RegisteredFlow } from './registry.ts'

type Values = Record<string, unknown>
type Runnable = Definition & Required<Pick<Definition, 'run'>>

/** Flow objects and the code behind them. */
export interface CodeObjects {
  /** The flows, ready to be registered. */
  readonly flows: readonly RegisteredFlow[]
  readonly dashboards: readonly RegisteredDashboard[]
  /** Executes a node of these flows; null for every other. Rejects with a {@link CodeError}. */
  call(call: CodeCall): Promise<Values> | null
}

/**
 * Objects as what is registered. Python files are read now: an absolute path or a file URL. Throws an error that names the
 * flow and the node for what cannot be read or called, and the dashboard that cannot be shown.
 */
export function createCodeObjects(
  objects: readonly (AnyFlow | DashboardObject)[],
  artifacts: Pick<Artifacts, 'put' | 'read'>,
): CodeObjects {
  const code = new Map<string, Runnable>()
  const dashboards = objects.flatMap((each) =>
    each.kind === 'dashboard' ? [registeredDashboard(each.name, each.document, MODULE)] : [],
  )
  const flows = objects.filter((each) => each.kind === 'flow')
  const registered = flows.map((flow): RegisteredFlow => {
    const parsed = flowDocumentInputSchema.parse(flow.document)
    const python = new Map<string, string>()
    const nodes = parsed.nodes.map((node) => {
      const definition = flow.definitions.get(node.id)
      if (definition === undefined) return node
      if (definition.kind === 'python') {
        const { source, file } = readPython(flow.name, definition)
        python.set(node.id, file)
        return { ...node, source }
      }
      const entry = entryOf(flow.name, definition)
      code.set(canonicalJson(entry), runnable(flow.name, definition))
      // nothing stands for the code of a closure but its version
      return { ...node, entry, cache: node.cache && definition.version !== undefined }
    })
    const document = normalizeDocument(flow.name, { ...parsed, version: 0, nodes })
    return { document, module: MODULE, project: null, commit: null, bundles: new Map(), python }
  })
  return {
    flows: registered,
    dashboards,
    call(call) {
      const definition = call.node.entry && code.get(canonicalJson(call.node.entry))
      return definition ? execute(definition, call, artifacts) : null
    },
  }
}

/** What stands in place of a module's path: the code is in the engine's process. */
export const MODULE = '(object)'

function entryOf(flow: string, { id, version }: Definition): CodeEntry {
  const digest = `sha256:${hash('sha256', canonicalJson({ flow, id, version: version ?? null }))}`
  return { module: MODULE, export: id, digest, modules: [] }
}

function runnable(flow: string, definition: Definition): Runnable {
  const { run } = definition
  if (run === undefined)
    throw new TypeError(`flow "${flow}": the ${definition.kind} "${definition.id}" has no function`)
  return { ...definition, run }
}

function readPython(flow: string, { id, file = '' }: Definition): { source: string; file: string } {
  const place = file.startsWith('file:') ? fileURLToPath(file) : file
  try {
    return { source: readPythonFile(place).source, file: place }
  } catch (error) {
    const remedy = `give python("${id}") an absolute path or a file URL, such as new URL("./x.py", import.meta.url).href`
    throw new Error(`flow "${flow}": the file "${file}" cannot be read; ${remedy}`, { cause: error })
  }
}

async function execute(
  definition: Runnable,
  call: CodeCall,
  artifacts: Pick<Artifacts, 'put' | 'read'>,
): Promise<Values> {
  const ended = Promise.withResolvers<never>()
  const stop = new AbortController()
  const end = (error: unknown): void => {
    ended.reject(error)
    stop.abort(error)
  }
  const cancel = (): void => end(new CodeError('cancelled', 'the execution was cancelled', null))
  const { timeout } = call.node
  const silence = new Silence(timeout, () => end(new CodeError('timeout', `no emission for ${timeout} s`, null)))
  call.signal.addEventListener('abort', cancel, { once: true })
  if (call.signal.aborted) cancel()
  const execution = new Execution(callFrame(call, ''), {
    send({ batch }) {
      if (stop.signal.aborted) return
      silence.touch()
      try {
        for (const [values, atMs] of batch as [Values, number][]) call.onEmit(values, atMs)
      } catch (error) {
        end(error)
      }
    },
    async saveArtifact(data, { name, media_type: mediaType, volatile }): Promise<ArtifactRef> {
      const options = { name: String(name), mediaType: String(mediaType), volatile: volatile === true }
      const { ref } = await artifacts.put(data, options)
      call.onArtifact?.(ref)
      return ref
    },
    loadArtifact: (digest) => artifacts.read(digest),
    signal: () => stop.signal,
  })
  try {
    const outputs = await Promise.race([ended.promise, execution.run(logging(definition, call))])
    return withStored(outputs, execution.stored)
  } catch (error) {
    throw error instanceof CodeError ? error : codeError(error)
  } finally {
    silence.stop()
    call.signal.removeEventListener('abort', cancel)
  }
}

/** The definition with `ctx.log` into the node's log: in this process, the console is the host's. */
const logging = ({ run, ...definition }: Runnable, call: CodeCall): Runnable => ({
  ...definition,
  run: (args, ctx) => run(args, { ...ctx, log: logOf(call) }),
})

const logOf =
  (call: CodeCall): CodeContext['log'] =>
  (message, fields) =>
    call.onLog('stdout', `${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}\n`)

function codeError(error: unknown): CodeError {
  if (!(error instanceof Error)) return new CodeError('Error', String(error), null)
  const type = error.name === 'Error' ? error.constructor.name : error.name
  return new CodeError(type, error.message, tracebackOf(error))
}
