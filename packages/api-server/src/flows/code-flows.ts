/**
 * The flows in TypeScript of a running engine, and how a change of their modules gets into it. Dashboards that the modules
 * define come along.
 *
 * - code-flows.C1 what does not load changes nothing: the flows of a module in error stay as they were last loaded, and so
 *   does one that runs and would not start.
 * - code-flows.C2 a flow is gone only when its module loads without it, or is gone itself.
 * - code-flows.C3 reloads do not overlap; what changes during one is seen by the next.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

import type { NodeRegistry } from '@flow-service/core'
import type { FlowMode } from '@flow-service/protocol'

import type { CodeSource, LoadResult } from '../code/loader.ts'
import type { DevelopedPackages } from '../code/packages/developed-packages.ts'
import { type LoadError, projectRootOf } from '../code/project.ts'
import type { RegisteredDashboard } from '../code/registered-dashboard.ts'
import type { RegisteredFlow } from '../code/registry.ts'
import { type CodeRegistrationDeps, type FlowChange, registerFlows } from './code-registration.ts'
import { type PackageChange, reloadTypes } from './developed-types.ts'

/** A flow of the configuration that is registered; `created` when the database did not know it before. */
export interface RegisteredName {
  readonly name: string
  readonly mode: FlowMode
  readonly created: boolean
}

/** A dashboard that is new, or has a new version. */
export interface DashboardChange {
  readonly name: string
  readonly version: number
}

/** What a registration of dashboards did. */
export interface DashboardRegistration {
  readonly changed: readonly DashboardChange[]
  /** Dashboards that no module defines any more: they stay, and are changed through the API. */
  readonly removed: readonly string[]
  /** What could not be registered: the API has one of the name. */
  readonly errors: readonly LoadError[]
}

/** What a reload did. Flows in the order of their modules. */
export interface ReloadResult {
  /** New flows, and those with a new version. */
  readonly changed: readonly FlowChange[]
  /** Flows that go on untouched, those among them whose module is in error. */
  readonly unchanged: readonly string[]
  /** Flows that no module defines any more: they have ended, and are failed until they are back. */
  readonly removed: readonly string[]
  readonly dashboards: Omit<DashboardRegistration, 'errors'>
  /** Packages under development that have changed. */
  readonly packages: readonly PackageChange[]
  /** What does not load now; flows of these modules, and types of these packages, are what they were. */
  readonly errors: readonly LoadError[]
}

/** Flows in TypeScript. */
export interface CodeFlows {
  /** Those that are registered. */
  readonly registered: readonly RegisteredName[]
  /** Dashboards of their modules, by name. */
  readonly dashboards: readonly string[]
  /** What of their modules does not load. */
  readonly errors: readonly LoadError[]
  /** Absolute paths of the files that they were made from; without those that nobody knows yet to belong to them. */
  readonly files: readonly string[]
  /** Registers the first flows; called once, before `reload`. */
  open(first: LoadResult): Promise<void>
  /** Loads the modules again and swaps what has changed. Never rejects for what is wrong in a module. */
  reload(): Promise<ReloadResult>
  /** Resolves when no reload is under way; later ones do nothing. */
  close(): Promise<void>
}

/** What flows in TypeScript are made of. */
export interface CodeFlowsDeps extends CodeRegistrationDeps {
  readonly registry: NodeRegistry
  /** Packages under development: flows of the same reload may use their types. */
  readonly developed: Pick<DevelopedPackages, 'reload' | 'errors'>
  /** Registers these dashboards in place of those before. */
  readonly registerDashboards: (found: readonly RegisteredDashboard[]) => Promise<DashboardRegistration>
}

/** Flows of a source, none of which is registered before `open`. */
export function createCodeFlows(source: CodeSource, deps: CodeFlowsDeps): CodeFlows {
  const created = new Set<string>()
  let wanted: readonly RegisteredFlow[] = []
  let shown: readonly RegisteredDashboard[] = []
  let errors: readonly LoadError[] = []
  let files: readonly string[] = []
  let last: Promise<unknown> = Promise.resolve()
  let closed = false

  const open = async (first: LoadResult): Promise<void> => {
    const registration = await registerFlows(first.flows, deps)
    for (const { name, previousVersion } of registration.changed) if (previousVersion === null) created.add(name)
    wanted = first.flows
    shown = first.dashboards
    const dashboards = await deps.registerDashboards(shown)
    errors = [...first.errors, ...registration.errors, ...dashboards.errors]
    files = first.files
  }

  const reload = async (): Promise<ReloadResult> => {
    const packages = closed ? [] : await reloadTypes(deps)
    const faults = deps.developed.errors
    if (source.directory === null || closed)
      return { ...nothing, unchanged: namesOf(wanted, deps), packages, errors: [...errors, ...faults] }
    const found = await source.load().catch(unreadable)
    const { flows, refused } = await keepLastGood(found, { earlier: wanted, directory: source.directory, deps })
    const registration = await registerFlows(flows, deps, wanted)
    const changed = new Set(registration.changed.map(({ name }) => name))
    for (const { name, previousVersion } of registration.changed) if (previousVersion === null) created.add(name)
    wanted = registration.flows
    shown = lastGood(found, shown, source.directory)
    const dashboards = await deps.registerDashboards(shown)
    errors = [...found.errors, ...refused, ...registration.errors, ...dashboards.errors]
    // what a module in error imports is not known: what it imported before is
    files = errors.length === 0 ? found.files : [...new Set([...files, ...found.files])]
    return {
      changed: registration.changed,
      unchanged: namesOf(wanted, deps).filter((name) => !changed.has(name)),
      removed: registration.removed,
      dashboards: { changed: dashboards.changed, removed: dashboards.removed },
      packages,
      errors: [...errors, ...faults],
    }
  }

  return {
    open,
    get registered() {
      return wanted.flatMap(({ document: { name, mode } }) =>
        deps.code.has(name) ? [{ name, mode, created: created.has(name) }] : [],
      )
    },
    get dashboards() {
      return shown.map(({ name }) => name)
    },
    get errors() {
      return errors
    },
    get files() {
      return files
    },
    reload() {
      const mine = last.then(reload)
      last = mine.catch(() => {})
      return mine
    },
    async close() {
      closed = true
      await last
    },
  }
}

const nothing = { changed: [], removed: [], dashboards: { changed: [], removed: [] } } as const

const namesOf = (flows: readonly RegisteredFlow[], { code }: CodeRegistrationDeps): string[] =>
  flows.map(({ document }) => document.name).filter((name) => code.has(name))

const unreadable = (error: unknown): LoadResult => ({
  flows: [],
  dashboards: [],
  errors: [{ ...nowhere, message: error instanceof Error ? error.message : String(error) }],
  sound: [],
  files: [],
})

const nowhere = { file: null, line: null, column: null, frame: null } as const

interface Earlier {
  readonly earlier: readonly RegisteredFlow[]
  readonly directory: string
  readonly deps: CodeRegistrationDeps
}

/** What was found, with the flows as they were before where what is there now does not work. */
async function keepLastGood(
  found: LoadResult,
  { earlier, directory, deps }: Earlier,
): Promise<{ flows: readonly RegisteredFlow[]; refused: readonly LoadError[] }> {
  const faults = await deps.code.prepare(found.flows)
  const before = new Map(earlier.map((flow) => [flow.document.name, flow]))
  const flows = found.flows.map((flow) => (faults.get(flow.document.name) && before.get(flow.document.name)) ?? flow)
  const refused = found.flows.flatMap(({ document: { name }, module }) => {
    const fault = faults.get(name)
    return fault ? [{ ...nowhere, file: module, message: `flow "${name}": ${fault.message}` }] : []
  })
  const names = new Set(flows.map(({ document }) => document.name))
  const kept = earlier.filter(
    ({ document, module }) => !names.has(document.name) && isInError(module, found, directory),
  )
  return { flows: [...flows, ...kept], refused }
}

/** The dashboards that were found, with those of modules in error as they were before. */
function lastGood(
  found: LoadResult,
  earlier: readonly RegisteredDashboard[],
  directory: string,
): readonly RegisteredDashboard[] {
  const names = new Set(found.dashboards.map(({ name }) => name))
  const kept = earlier.filter(({ name, module }) => !names.has(name) && isInError(module, found, directory))
  return [...found.dashboards, ...kept]
}

/** Whether a module is there, but does not say what it defines. */
function isInError(module: string, { errors, sound }: LoadResult, directory: string): boolean {
  if (errors.length === 0 || sound.includes(module)) return false
  // a folder that is away for a moment, as in a checkout, has taken nothing with it
  return !fs.existsSync(directory) || fs.existsSync(path.join(projectRootOf(fs.realpathSync(directory)), module))
}
