/**
 * The entry of the process that evaluates flow modules. It gets the modules' texts, serves them to the loader under
 * the URLs of their files, imports them and tells which flows, definitions and dashboards they export. Never imported.
 * @module
 */
import { registerHooks } from 'node:module'

import type { EvaluationReply, EvaluationRequest, FoundFlow, FoundNode } from './evaluate.ts'
import type { PlainModule } from './modules.ts'

interface Place {
  readonly url: string
  readonly export: string
}
interface Flow {
  readonly name: string
  readonly document: object
  readonly definitions: ReadonlyMap<string, { readonly kind: string; readonly id: string; readonly file?: string }>
}

process.setSourceMapsEnabled(true)
process.once('message', (request) => {
  void evaluate(request as EvaluationRequest)
})

async function evaluate({ modules, entries }: EvaluationRequest): Promise<void> {
  const loaded = serve(modules)
  const exported = new Set<unknown>()
  for (const url of entries) {
    tell({ kind: 'importing', url })
    try {
      const values: unknown[] = Object.values(await import(url))
      for (const value of values) exported.add(value)
    } catch (error) {
      tell({ kind: 'failed', url, ...described(error) })
    }
  }
  const places = await findExports(modules.filter(({ url }) => loaded.has(url)))
  const flows = [...places].flatMap(([value, place]) =>
    exported.has(value) && isFlow(value) ? [foundFlow(value, place, places)] : [],
  )
  const dashboards = [...places].flatMap(([value, { url }]) =>
    exported.has(value) && isDashboard(value) ? [{ url, name: value.name, document: value.document }] : [],
  )
  tell({ kind: 'found', flows, dashboards })
}

const tell = (reply: EvaluationReply): unknown => process.send?.(reply)

/**
 * Resolves imports between the modules by their places among each other, everything else as usual. Answers the URLs of
 * the modules that have been loaded so far.
 */
function serve(modules: readonly PlainModule[]): ReadonlySet<string> {
  const loaded = new Set<string>()
  const byUrl = new Map(modules.map((module) => [module.url, module]))
  const byOutput = new Map(modules.map((module) => [module.output, module]))
  registerHooks({
    resolve(specifier, context, next) {
      const parent = specifier.startsWith('.') ? byUrl.get(context.parentURL ?? '') : undefined
      const target = parent && byOutput.get(new URL(specifier, `file:///${parent.output}`).pathname.slice(1))
      if (target) return { url: target.url, format: 'module', shortCircuit: true }
      return byUrl.has(specifier) ? { url: specifier, format: 'module', shortCircuit: true } : next(specifier, context)
    },
    load(url, context, next) {
      const module = byUrl.get(url)
      if (module) loaded.add(url)
      return module ? { format: 'module', source: module.code, shortCircuit: true } : next(url, context)
    },
  })
  return loaded
}

/** Where each exported object stands. The defining module comes before those that export it again. */
async function findExports(modules: readonly PlainModule[]): Promise<Map<unknown, Place>> {
  const places = new Map<unknown, Place>()
  for (const { url } of modules) {
    const names = await import(url).then(Object.entries, () => [])
    // a name tells more than `default`
    for (const [name, value] of names.toSorted(([a], [b]) => Number(a === 'default') - Number(b === 'default'))) {
      if (typeof value === 'object' && value !== null && !places.has(value)) places.set(value, { url, export: name })
    }
  }
  return places
}

const isFlow = (value: unknown): value is Flow =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'flow' && 'definitions' in value

const isDashboard = (value: unknown): value is Pick<Flow, 'name' | 'document'> =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'dashboard' && 'document' in value

function foundFlow(flow: Flow, place: Place, places: ReadonlyMap<unknown, Place>): FoundFlow {
  const nodes = [...flow.definitions].map(([node, definition]): FoundNode => {
    const { kind, id, file = null } = definition
    return { node, kind, id, file, place: places.get(definition) ?? null }
  })
  return { url: place.url, export: place.export, name: flow.name, document: flow.document, nodes }
}

function described(error: unknown): { message: string; stack: string } {
  if (!(error instanceof Error)) return { message: String(error), stack: '' }
  return { message: `${error.name}: ${error.message}`, stack: error.stack ?? '' }
}
