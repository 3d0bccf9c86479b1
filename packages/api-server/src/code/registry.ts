/**
 * The flows in TypeScript that this engine has: which are registered, and the executable form of their code. Invariants
 * code.B5-B7 are in DESIGN.md beside this file.
 * @module
 */
import { canonicalJson, type CodeEntry, type FlowDocument, type Issue } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import type { CodeBundle } from './bundle.ts'
import { type BundleRow, type CodeDefined, type CodeStore, createCodeStore } from './store.ts'

/** A flow in TypeScript with what makes its code executable. */
export interface RegisteredFlow {
  /** In normal form, version 0; `code` nodes carry their entries, Python nodes their sources. */
  readonly document: FlowDocument
  /** Path of the defining module, relative to the project root. */
  readonly module: string
  /** Absolute path of the project root; null for a flow object. */
  readonly project: string | null
  /** The project's commit; null outside git. */
  readonly commit: string | null
  /** Makes the bundle behind an entry, by its digest; without one, the code runs in this process. */
  readonly bundles: ReadonlyMap<string, () => Promise<CodeBundle>>
  /** The files of Python nodes by node id, as people are told of them. */
  readonly python?: ReadonlyMap<string, string>
}

/** Knows the registered flows. */
export interface CodeRegistry {
  /** Whether a flow of the name is registered: then it is changed in its module alone. */
  has(name: string): boolean
  /** Whether a registered flow has this code. */
  hasEntry(entry: CodeEntry): boolean
  /** Whether the flow was defined in code that this engine has not: it is kept, and does not run. */
  isMissing(name: string): boolean
  /** Registered flows that the database has as defined in code; an earlier life of this engine may have named more. */
  defined(): Promise<readonly string[]>
  /** What is wrong with the code of a flow. */
  issues(name: string): readonly Issue[]
  /** The file that the source of a node was read from; null where there is none. */
  pythonFile(flow: string, node: string): string | null
  /** The flow belongs to the API from now on, or is gone. */
  release(name: string): void
  /**
   * Makes and keeps the bundles of these flows that the database has not: what is registered next can execute at once.
   * Answers the flows whose code cannot be made executable, and why.
   */
  prepare(flows: readonly RegisteredFlow[]): Promise<ReadonlyMap<string, Issue>>
  /** Replaces what is registered by flows that are prepared. */
  replace(flows: readonly RegisteredFlow[]): Promise<void>
  /** Drops bundles that no flow and no run names any more; tells how many. */
  expire(): Promise<number>
  /** Text of the bundle of a digest, its source map inside. Refuses with `not_found`. */
  bundleText(digest: string): Promise<string>
}

/** What a registry is made of. */
export interface CodeRegistryDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly artifacts: Pick<Artifacts, 'put' | 'read' | 'addRefs' | 'dropRefs' | 'known'>
}

/** What is known of a registered flow. */
interface Registered {
  readonly issues: readonly Issue[]
  readonly python: RegisteredFlow['python'] | undefined
}

/** Texts of bundles that are kept in memory. */
const MAX_TEXTS = 64

/** A registry without flows. */
export function createCodeRegistry(deps: CodeRegistryDeps): CodeRegistry {
  const store = createCodeStore(deps.database.sql)
  const texts = new Map<string, Promise<string>>()
  let registered: ReadonlyMap<string, Registered> = new Map()
  let entries: ReadonlySet<string> = new Set()
  let missing = new Map<string, Issue>()
  // of what is registered, and of what is prepared to be
  let states: ReadonlyMap<string, BundleState> = new Map()

  const prepare = async (flows: readonly RegisteredFlow[]): Promise<ReadonlyMap<string, Issue>> => {
    const makers = new Map(flows.flatMap(({ bundles }) => [...bundles]))
    const needed = new Map([...makers].filter(([digest]) => !isExecutable(states.get(digest))))
    states = new Map([...states, ...(await keepBundles({ ...deps, store }, needed))])
    return new Map(
      flows.flatMap(({ document }) => {
        const fault = bundleIssues(document, states).find(({ severity }) => severity === 'error')
        return fault ? [[document.name, fault] as const] : []
      }),
    )
  }

  const replace = async (flows: readonly RegisteredFlow[]): Promise<void> => {
    const used = new Set(flows.flatMap(({ document }) => entriesOf(document)).map(({ digest }) => digest))
    states = new Map([...states].filter(([digest]) => used.has(digest)))
    texts.clear()
    registered = new Map(
      flows.map(({ document, python }) => [document.name, { issues: bundleIssues(document, states), python }]),
    )
    entries = new Set(flows.flatMap(({ document }) => entriesOf(document)).map(canonicalJson))
    const defined = await store.defined()
    const absent = defined.filter(({ name }) => !registered.has(name))
    missing = new Map(absent.map((flow) => [flow.name, moduleMissing(flow)]))
  }

  const readText = async (digest: string): Promise<string> => {
    const row = await store.byDigest(digest)
    if (!row) throw new ProblemError('not_found', `the code ${digest} is not registered; start with its module again`)
    const [text, map] = await Promise.all([deps.artifacts.read(row.bundle), deps.artifacts.read(row.source_map)])
    const inline = Buffer.from(map).toString('base64')
    return `${Buffer.from(text).toString()}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`
  }

  return {
    has: (name) => registered.has(name),
    hasEntry: (entry) => entries.has(canonicalJson(entry)),
    isMissing: (name) => missing.has(name),
    defined: async () => (await store.defined()).map(({ name }) => name).filter((name) => registered.has(name)),
    issues(name) {
      const absence = missing.get(name)
      return absence ? [absence] : (registered.get(name)?.issues ?? [])
    },
    pythonFile: (flow, node) => registered.get(flow)?.python?.get(node) ?? null,
    release(name) {
      missing.delete(name)
    },
    prepare,
    replace,
    expire: () =>
      deps.database.transaction(async (tx) => {
        const digests = await store.expire(tx)
        if (digests.length > 0) await deps.artifacts.dropRefs(tx, 'code', digests)
        return digests.length
      }),
    bundleText(digest) {
      const known = texts.get(digest)
      if (known) return known
      const reading = readText(digest)
      texts.set(digest, reading)
      reading.catch(() => texts.delete(digest))
      const [oldest] = texts.keys()
      if (texts.size > MAX_TEXTS && oldest !== undefined) texts.delete(oldest)
      return reading
    },
  }
}

const moduleMissing = ({ name, module, project }: CodeDefined): Issue => ({
  severity: 'error',
  code: 'module_missing',
  // several projects may share the database
  message: `nothing that is loaded defines "${name}"; ${module}${project === null ? '' : ` of ${project}`} did: load it, define the flow again, or delete it`,
  node: null,
  path: null,
})

const entriesOf = (document: FlowDocument): CodeEntry[] =>
  document.nodes.flatMap(({ entry }) => (entry === null ? [] : [entry]))

type BundleState = { readonly addons: readonly string[] } | { readonly failure: string }

const isExecutable = (state: BundleState | undefined): boolean => state !== undefined && 'addons' in state

interface Keeper extends CodeRegistryDeps {
  readonly store: CodeStore
}

async function keepBundles(
  deps: Keeper,
  makers: ReadonlyMap<string, () => Promise<CodeBundle>>,
): Promise<ReadonlyMap<string, BundleState>> {
  const rows = await deps.store.touch([...makers.keys()])
  const present = await deps.artifacts.known(rows.flatMap((row) => [row.bundle, row.source_map]))
  // an addon's place is in the text, and may have changed
  const usable = rows.filter((row) => row.addons.length === 0 && present.has(row.bundle) && present.has(row.source_map))
  const kept = new Map(usable.map((row) => [row.digest, row]))
  const states = [...makers].map(async ([digest, make]): Promise<[string, BundleState]> => {
    try {
      return [digest, kept.get(digest) ?? (await keepBundle(deps, digest, await make()))]
    } catch (error) {
      return [digest, { failure: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error) }]
    }
  })
  return new Map(await Promise.all(states))
}

async function keepBundle(deps: Keeper, digest: string, made: CodeBundle): Promise<BundleRow> {
  const { artifacts, database, store } = deps
  const put = async (text: string, mediaType: string): Promise<string> =>
    (await artifacts.put(Buffer.from(text), { name: '', mediaType, volatile: false })).ref.digest
  const bundle = await put(made.text, 'text/javascript')
  const row: BundleRow = { digest, bundle, source_map: await put(made.map, 'application/json'), addons: made.addons }
  await database.transaction(async (tx) => {
    await artifacts.dropRefs(tx, 'code', [digest])
    await artifacts.addRefs(tx, 'code', digest, [row.bundle, row.source_map])
    await store.keep(tx, row)
  })
  return row
}

function bundleIssues(document: FlowDocument, states: ReadonlyMap<string, BundleState>): Issue[] {
  return document.nodes.flatMap(({ id, entry }, at): Issue[] => {
    const state = entry === null ? undefined : states.get(entry.digest)
    if (state === undefined || ('addons' in state && state.addons.length === 0)) return []
    const failed = 'failure' in state
    const message = failed
      ? `the code of "${id}" cannot be made executable: ${state.failure}`
      : `the code of "${id}" uses native addons (${state.addons.join(', ')}): it runs on the engine's machine only`
    const severity = failed ? 'error' : 'warning'
    return [{ severity, code: 'unbundlable_dependency', message, node: id, path: `/nodes/${at}/entry` }]
  })
}
