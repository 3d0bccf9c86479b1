/**
 * Brings flows in TypeScript into the database: published directly, with a new version only when they have changed
 * (wire decision G64). A flow that has not changed keeps running as it is.
 * @module
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'

import { documentDigest } from '@flow-service/core'
import { canonicalJson, type FlowDocument, type FlowMode } from '@flow-service/protocol'

import type { LoadError } from '../code/project.ts'
import type { CodeRegistry, RegisteredFlow } from '../code/registry.ts'
import type { Database } from '../db/database.ts'
import type { EventLog } from '../events/event-log.ts'
import { ProblemError } from '../http/errors.ts'
import { newId } from '../process/new-id.ts'
import { keepRefs } from './flow-rows.ts'
import type { FlowsDeps } from './flows.ts'
import type { LiveFlows } from './live-flows.ts'
import type { PublishedFlowsOwner } from './published-flows.ts'
import { nameTaken } from './refusals.ts'
import { createFlowStore, type FlowRow, type FlowStore } from './store.ts'
import { contentOf, currentContent } from './stored-content.ts'
import type { FlowVersions, ModuleTexts } from './versions/flow-versions.ts'

/** What registration is made of. */
export interface CodeRegistrationDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly artifacts: FlowsDeps['artifacts']
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly code: CodeRegistry
  readonly live: LiveFlows
  readonly published: PublishedFlowsOwner
  readonly flowVersions: Pick<FlowVersions, 'keep'>
}

/** A flow with new content, or one that was missing and is back. */
export interface FlowChange {
  readonly name: string
  readonly mode: FlowMode
  /** Null: the database did not know the flow. */
  readonly previousVersion: number | null
  readonly version: number
  /** Ids of the nodes that are new, changed, or gone; none when the flow is what it was before it was missing. */
  readonly nodes: readonly string[]
}

/** What a registration did. */
export interface Registration {
  /** What was asked for, but for flows that did not start: they are what they were before. */
  readonly flows: readonly RegisteredFlow[]
  readonly changed: readonly FlowChange[]
  /** Flows that were registered before and are not any more: failed until they are back. */
  readonly removed: readonly string[]
  /** What could not be registered: the API has a flow of the name, or a node of the flow that runs does not start. */
  readonly errors: readonly LoadError[]
}

/**
 * Registers these flows in place of those that were registered before, `earlier`: active ones that have changed are
 * rebuilt, active ones that are not among them end. Called once at least, with no flows too.
 */
export async function registerFlows(
  flows: readonly RegisteredFlow[],
  deps: CodeRegistrationDeps,
  earlier: readonly RegisteredFlow[] = [],
): Promise<Registration> {
  const { code, live, published } = deps
  const store = createFlowStore(deps.database.sql)
  await code.prepare(flows)
  const missing = new Set(flows.map(({ document }) => document.name).filter((name) => code.isMissing(name)))
  const definedBefore = await code.defined()
  const before = new Map(flows.map(({ document: { name } }) => [name, published.get(name)]))
  const results = await Promise.all(
    flows.map((flow) => registerFlow(flow, earlier.find(isNamed(flow.document.name)), { ...deps, store })),
  )
  const kept = results.filter(({ row, isKept }) => row !== null || isKept)
  await code.replace(kept.map(({ flow }) => flow))
  const changed: FlowChange[] = []
  for (const { row, isReplaced } of results) {
    if (row === null) continue
    const known = before.get(row.name)
    const { document } = currentContent(row)
    const isBack = missing.has(row.name)
    if (known !== undefined && !row.is_new && !isBack) continue
    published.set(document)
    changed.push(changeOf(known, document))
    if (!isReplaced) await live.exclusive<unknown>(row.id, () => (isBack ? reopen(row, live) : live.rebuild(row)))
  }
  const removed = definedBefore.filter((name) => code.isMissing(name))
  await endMissing(removed, store, deps)
  return {
    flows: results.map(({ flow }) => flow),
    changed,
    removed,
    errors: results.flatMap(({ error }) => error ?? []),
  }
}

async function endMissing(names: readonly string[], store: FlowStore, { live }: CodeRegistrationDeps): Promise<void> {
  for (const name of names) {
    const row = await store.byName(name)
    if (row === null) continue
    await live.exclusive(row.id, () => live.end(row))
    live.announce(row, { status: 'failed' })
  }
}

/** A flow that was missing is as active as it is wished to be. */
async function reopen(row: FlowRow, live: LiveFlows): Promise<void> {
  await live.end(row, { keepsPlace: true })
  if (row.wished === 'stopped') live.announce(row)
  else await live.revive(row)
}

function changeOf(before: FlowDocument | undefined, { name, mode, version, nodes }: FlowDocument): FlowChange {
  const old = new Map(before?.nodes.map((node) => [node.id, canonicalJson(node)]))
  const fresh = nodes.filter((node) => old.get(node.id) !== canonicalJson(node)).map(({ id }) => id)
  const kept = new Set(nodes.map(({ id }) => id))
  const gone = [...old.keys()].filter((id) => !kept.has(id))
  return { name, mode, previousVersion: before?.version ?? null, version, nodes: [...fresh, ...gone] }
}

const isNamed =
  (name: string) =>
  ({ document }: RegisteredFlow): boolean =>
    document.name === name

/** Longest text of a module that is kept, in UTF-16 units; that of a source. */
const MAX_MODULE_LENGTH = 1_000_000

const failing = (file: string, message: string): LoadError => ({ file, line: null, column: null, message, frame: null })

type NewRow = FlowRow & { readonly is_new: boolean }

/** What became of one flow. */
interface Registered {
  /** As it is registered from now on. */
  readonly flow: RegisteredFlow
  /** Null when it was not stored. */
  readonly row: NewRow | null
  /** Whether it ran, and has its new nodes. */
  readonly isReplaced?: boolean
  /** Whether it runs on as it was before. */
  readonly isKept?: boolean
  readonly error?: LoadError
}

interface Registering extends CodeRegistrationDeps {
  readonly store: FlowStore
}

async function registerFlow(
  flow: RegisteredFlow,
  before: RegisteredFlow | undefined,
  deps: Registering,
): Promise<Registered> {
  const { name } = flow.document
  const isChanged = before !== undefined && documentDigest(before.document) !== documentDigest(flow.document)
  const running = isChanged ? await deps.store.byName(name) : null
  if (before && running?.origin === 'code' && deps.live.running(running))
    return replaceFlow(flow, before, running, deps)
  const row = await storeFlow(flow, deps)
  if (row !== null) return { flow, row }
  const message = `there is a flow "${name}" that was made through the API; rename one, or delete that one`
  return { flow, row, error: failing(flow.module, message) }
}

/** Gives a flow that runs its new form, which is stored once its nodes have started. */
async function replaceFlow(
  flow: RegisteredFlow,
  before: RegisteredFlow,
  row: FlowRow,
  deps: Registering,
): Promise<Registered> {
  const { live, published } = deps
  const version = row.version + 1
  const next = { ...row, published: contentOf(flow.document), version, published_version: version }
  let stored: NewRow | null = null
  const commit = async (): Promise<FlowRow> => {
    stored = await storeFlow(flow, deps)
    if (stored === null) throw nameTaken(row.name)
    published.take(stored)
    return stored
  }
  try {
    await live.exclusive(row.id, () => live.replace({ row, next, commit, unchecked: true }))
    return { flow, row: stored, isReplaced: true }
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'flow_invalid')) throw error
    const message = `${error.message}; it goes on as it was`
    return { flow: before, row: null, isKept: true, error: failing(flow.module, message) }
  }
}

/** Null when the API has a flow of the name. */
async function storeFlow(
  { document, module, project, commit }: RegisteredFlow,
  { artifacts, database, eventLog, flowVersions, store }: Registering,
): Promise<NewRow | null> {
  const { name } = document
  const texts = await moduleTexts(document, project)
  const code = { module, project, digest: documentDigest(document), commit }
  return database.transaction(async (tx) => {
    const row = await store.register(tx, { id: newId(), name, content: contentOf(document), code })
    if (row === null) return null
    await keepRefs(artifacts, tx, row)
    await flowVersions.keep(tx, row, texts)
    const detail = { version: row.version, module, commit }
    if (row.is_new) await eventLog.audit(tx, { action: 'flow.publish', actor: null, flow: name, detail })
    return row
  })
}

/** The modules that the code of its nodes is in, by their paths; without those that are too long, or gone again. */
async function moduleTexts({ nodes }: FlowDocument, project: string | null): Promise<ModuleTexts> {
  if (project === null) return {}
  const paths = [...new Set(nodes.flatMap(({ entry }) => (entry === null ? [] : [entry.module])))]
  const texts = await Promise.all(
    paths.map(async (module): Promise<[string, string][]> => {
      const text = await readFile(path.join(project, module), 'utf8').catch(() => null)
      return text === null || text.length > MAX_MODULE_LENGTH ? [] : [[module, text]]
    }),
  )
  return Object.fromEntries(texts.flat())
}
