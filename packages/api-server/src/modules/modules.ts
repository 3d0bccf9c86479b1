/**
 * Modules: the packages of Python nodes and connectors, as one manifest lists them (wire decisions G49, U14). An engine
 * is *ready*, *applying*, or *failed*, which is ready with what it had before. Invariants: DESIGN.md.
 * @module
 */
import type { Clock } from '@flow-service/core'
import {
  type ConnectorReport,
  type ModulePackage,
  type ModuleProgress,
  type Modules as ModulesView,
  timestampOfMs,
} from '@flow-service/protocol'
import { environmentBeside, OLDEST_PYTHON, type Worker } from '@flow-service/worker-agent'

import { modulesDirOf, type ResolvedConfig } from '../config.ts'
import type { Database, Sql } from '../db/database.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { EventLog } from '../events/event-log.ts'
import { changeOrFind } from '../flows/lost-answer.ts'
import { invalid, ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import type { Redactor } from '../secrets/redactor.ts'
import { addressMask, BuildLog } from './build-log.ts'
import { BuildFailure, type Building } from './building.ts'
import { buildModules, type PackageSources } from './module-build.ts'
import { type Generation, ModulesFolder } from './modules-folder.ts'
import { packagesOf } from './python-environment.ts'
import { lineFault, type Manifest, readManifest } from './requirements.ts'
import { createManifestStore } from './store.ts'

const CHANNEL = 'modules_changed'
/** How long an interpreter that others install for is not asked again what it has. */
const FRESH_MS = 10_000
const CUT_OFF = 'the engine ended while it applied modules; what was there before is in use: apply them again'

/** What modules are made of. */
export interface ModulesDeps {
  readonly config: Pick<ResolvedConfig, 'dataDir' | 'python'> & PackageSources
  readonly database: Pick<Database, 'sql' | 'transaction' | 'listen' | 'notify'>
  readonly agent: Pick<Worker, 'ready' | 'python' | 'usePython'>
  readonly bus: Pick<EventBus, 'publish'>
  readonly eventLog: Pick<EventLog, 'report'>
  readonly redactor: Pick<Redactor, 'mask'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'error' | 'warn'>
  /** What became of packages that may hold node types. */
  readonly connectors: () => readonly ConnectorReport[]
}

/** An apply by a user; `audit` writes its entry in the transaction that stores the manifest. */
interface Change {
  readonly by: string
  readonly audit: (tx: Sql) => Promise<void>
}

type State =
  | { readonly kind: 'ready' }
  | { readonly kind: 'applying'; readonly progress: ModuleProgress }
  | { readonly kind: 'failed'; readonly error: string }

/** Opens the modules of an engine: what is in force is used from now on. */
export async function openModules(deps: ModulesDeps): Promise<Modules> {
  const modules = new Modules(deps, await ModulesFolder.open(modulesDirOf(deps.config)))
  await modules.open()
  return modules
}

/** The modules of an engine; made by {@link openModules}. */
export class Modules {
  readonly #deps: ModulesDeps
  readonly #folder: ModulesFolder
  readonly #log: BuildLog
  readonly #stop = new AbortController()
  readonly #env: Readonly<Record<string, string>>
  #state: State = { kind: 'ready' }
  #inForce: Generation | null = null
  /** Whether the interpreter in force does not run, so that its part is no use. */
  #isBroken = false
  /** The npm packages that connectors were looked for in. */
  #loaded = ''
  /** Ids of parts that are not in force and still used (modules.M2). */
  readonly #used = new Set<string>()
  #building: Promise<void> = Promise.resolve()
  #sweeping: Promise<void> = Promise.resolve()
  /** Another manifest may have been stored while one was applied. */
  #isOutdated = false
  #onPython: () => Promise<void> = async () => {}
  #unlisten: (() => Promise<void>) | null = null
  /** What an interpreter that is not ours had when it was asked last. */
  #foreign: { readonly path: string; readonly atMs: number; readonly packages: Promise<ModulePackage[]> } | null = null

  constructor(deps: ModulesDeps, folder: ModulesFolder) {
    const { dataDir, pipIndexUrl, npmRegistry } = deps.config
    const withoutCredentials = addressMask([pipIndexUrl, npmRegistry])
    this.#deps = deps
    this.#folder = folder
    this.#log = new BuildLog((text) => deps.redactor.mask(withoutCredentials(text)))
    this.#env = environmentBeside(dataDir)
  }

  /** Takes up what the engine before has left: a swap that was due is made, a build that was cut off is told (modules.M3). */
  async open(): Promise<void> {
    const { agent, database } = this.#deps
    const folder = this.#folder
    this.#inForce = await folder.current()
    this.#loaded = JSON.stringify(this.#inForce?.npm?.packages ?? [])
    if (this.#inForce?.npm) this.#used.add(this.#inForce.npm.id)
    await agent.ready
    if (!this.#isAdopted) {
      const stored = await createManifestStore(database.sql).read()
      const isDue = stored !== null && stored.requirements !== this.#inForce?.requirements
      const due = isDue ? await folder.prepared(stored.requirements) : null
      if (due !== null) {
        await folder.swap(due)
        this.#inForce = await folder.current()
      }
      await this.#useOwnPython()
      await this.#recall()
    }
    this.#sweep()
  }

  /** How the latest build has ended, unless what it was to put in force is there. */
  async #recall(): Promise<void> {
    const attempt = await this.#folder.attempt()
    if (attempt === null || this.#isBroken) return
    if (attempt.error === null && attempt.requirements === this.#inForce?.requirements) {
      await this.#folder.noteAttempt(null)
    } else this.#state = { kind: 'failed', error: attempt.error ?? CUT_OFF }
  }

  /** Follows what other engines of the database apply; `onPython` makes Python nodes anew for another interpreter. */
  async begin(onPython: () => Promise<void>): Promise<void> {
    this.#onPython = onPython
    const look = (): void => void this.#follow()
    this.#unlisten = await this.#deps.database.listen(CHANNEL, look, look)
    look()
  }

  /** Ends what is being built; the next engine tells that it was cut off. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the engine ends'))
    await this.#unlisten?.()
    await this.#building
    await this.#sweeping
  }

  async view(): Promise<ModulesView> {
    const { agent, connectors } = this.#deps
    const { python } = agent
    const kind = this.#isAdopted ? 'adopted' : python === null ? 'none' : 'managed'
    const npm = this.#inForce?.npm?.packages ?? []
    return {
      environment: { kind, python: python?.version ?? null, path: python?.path ?? null },
      requirements: this.#inForce?.requirements ?? '',
      ...this.#news(),
      applied_at: this.#inForce?.applied_at ?? null,
      pending_restart: JSON.stringify(npm) !== this.#loaded,
      log: [...this.#log.lines],
      packages: [...(await this.#pythonPackages()), ...npm],
      connectors: [...connectors()],
    }
  }

  /**
   * Begins to build what a manifest asks for; what is in force goes on until it is built, and stays when it cannot be.
   * Refuses with `environment_adopted`, `apply_running`, and with `validation_failed` and the lines that are not taken.
   */
  async apply(requirements: string, change: Change): Promise<ModulesView> {
    if (this.#isAdopted) {
      const why = `SERVICE_PYTHON names ${this.#deps.config.python}, whose packages the engine only reads`
      throw new ProblemError(
        'environment_adopted',
        `${why}: install them there, or start the engine without SERVICE_PYTHON`,
      )
    }
    const manifest = readManifest(requirements)
    const [first] = manifest.python
    if (first && this.#deps.agent.python === null) {
      const message = `the engine has found no Python >= ${OLDEST_PYTHON}: install one and start the engine again, or leave the line out`
      throw invalid([lineFault(first.at, message)])
    }
    if (this.#state.kind === 'applying') {
      throw new ProblemError('apply_running', 'another manifest is being applied: GET /modules/ tells how far it is')
    }
    if (this.#state.kind === 'ready' && requirements === (this.#inForce?.requirements ?? '')) {
      this.#log.begin()
      this.#log.add('nothing has changed: these requirements are in force already')
    } else this.#build(manifest, change)
    return await this.view()
  }

  get #isAdopted(): boolean {
    return this.#deps.config.python !== null
  }

  #build(manifest: Manifest, change: Change | null): void {
    const total = manifest.python.length + manifest.npm.length
    this.#log.begin()
    this.#become({ kind: 'applying', progress: { step: 'resolve', line: null, done: 0, total } })
    this.#building = this.#carryOut(manifest, change)
      .then(
        () => this.#become({ kind: 'ready' }),
        (error: unknown) => this.#fail(manifest.text, error),
      )
      .finally(() => {
        this.#sweep()
        if (this.#isOutdated) void this.#follow()
      })
  }

  async #carryOut(manifest: Manifest, change: Change | null): Promise<void> {
    const { clock, config, database } = this.#deps
    const folder = this.#folder
    await this.#sweeping
    await folder.noteAttempt({ requirements: manifest.text, error: null })
    await using work = await folder.work()
    const before = this.#inForce
    const usable = { python: this.#isBroken ? null : (before?.python ?? null), npm: before?.npm ?? null }
    const parts = await buildModules({ ...config, folder, manifest, before: usable }, this.#buildingIn(work.path))
    this.#advance({ step: 'swap', line: null, done: 0, total: 1 })
    const generation = { requirements: manifest.text, applied_at: timestampOfMs(clock.now()), ...parts }
    const id = await folder.prepare(generation)
    if (change) await this.#store(generation, change)
    await folder.swap(id)
    this.#inForce = generation
    if (parts.python?.id !== before?.python?.id || this.#isBroken) await this.#switchPython(before)
    await folder.noteAttempt(null)
    if (change) await database.notify(CHANNEL, '').catch((error: unknown) => this.#untold(error))
  }

  #buildingIn(work: string): Building {
    return {
      signal: this.#stop.signal,
      log: this.#log,
      env: this.#env,
      work,
      progress: (progress) => this.#advance(progress),
    }
  }

  /** The manifest is the database's before it is in force here (modules.M3). */
  async #store({ requirements, applied_at: at }: Generation, { by, audit }: Change): Promise<void> {
    const { database } = this.#deps
    const write = async (tx: Sql): Promise<true> => {
      await createManifestStore(tx).put({ requirements, applied_at: at }, by)
      await audit(tx)
      return true
    }
    await changeOrFind(
      () => database.transaction(write),
      async () => ((await createManifestStore(database.sql).read())?.applied_at === at ? true : null),
    )
  }

  /** Calls run on the interpreter in force from now on; the one before goes when nothing runs on it any more. */
  async #switchPython(before: Generation | null): Promise<void> {
    const { agent, log } = this.#deps
    const part = this.#inForce?.python ?? null
    const left = before?.python?.id
    if (left !== undefined) this.#used.add(left)
    const { over } = await agent.usePython(part && this.#folder.pythonOf(part))
    this.#isBroken = false
    if (left !== undefined) void over.then(() => this.#forget(left))
    try {
      await this.#onPython()
    } catch (error) {
      log.error({ err: error }, 'Python nodes could not all be made anew for other modules')
    }
  }

  /** At the start, when the agent may have found another interpreter, or one that does not run. */
  async #useOwnPython(): Promise<void> {
    const { agent } = this.#deps
    const part = this.#inForce?.python ?? null
    const wanted = part && this.#folder.pythonOf(part)
    if (wanted === (agent.python?.path ?? null)) return
    if (wanted === null && agent.python?.path.startsWith(this.#folder.path) !== true) return
    try {
      await agent.usePython(wanted)
    } catch (error) {
      this.#isBroken = true
      this.#state = { kind: 'failed', error: `${(error as Error).message}: apply the modules again` }
      await agent.usePython(null)
    }
  }

  /** Builds what the database has when it is another manifest than the one in force here. */
  async #follow(): Promise<void> {
    this.#isOutdated = this.#state.kind === 'applying'
    if (this.#isOutdated || this.#isAdopted || this.#stop.signal.aborted) return
    try {
      const stored = await createManifestStore(this.#deps.database.sql).read()
      if (stored === null || (stored.requirements === this.#inForce?.requirements && !this.#isBroken)) return
      const manifest = readManifest(stored.requirements)
      // an apply may have begun while the database was asked
      if (this.#state.kind === 'applying') this.#isOutdated = true
      else this.#build(manifest, null)
    } catch (error) {
      this.#deps.log.error({ err: error }, 'the modules that another engine has applied could not be looked at')
    }
  }

  async #fail(requirements: string, error: unknown): Promise<void> {
    if (this.#stop.signal.aborted) return
    const { eventLog, log } = this.#deps
    const isKnown = error instanceof BuildFailure
    const why = this.#log.shown(error instanceof Error ? error.message : String(error))
    if (!isKnown) log.error({ err: error }, 'modules could not be applied')
    eventLog.report({ kind: 'engine', level: 'warning', action: 'modules.fail', detail: { error: why } })
    await this.#folder
      .noteAttempt({ requirements, error: why })
      .catch((note: unknown) => log.warn({ err: note }, 'a failure of modules is not kept'))
    this.#become({ kind: 'failed', error: why })
  }

  #advance(progress: ModuleProgress): void {
    this.#become({ kind: 'applying', progress })
  }

  #become(state: State): void {
    this.#state = state
    this.#deps.bus.publish({ type: 'modules', ...this.#news() })
  }

  #news(): Pick<ModulesView, 'state' | 'error' | 'progress'> {
    const state = this.#state
    return {
      state: state.kind,
      error: state.kind === 'failed' ? state.error : null,
      progress: state.kind === 'applying' ? state.progress : null,
    }
  }

  async #pythonPackages(): Promise<readonly ModulePackage[]> {
    const { agent, clock, log } = this.#deps
    const own = this.#inForce?.python
    if (own && !this.#isAdopted && !this.#isBroken) return own.packages
    if (agent.python === null) return []
    const { path } = agent.python
    if (this.#foreign?.path !== path || clock.now() - this.#foreign.atMs > FRESH_MS) {
      const packages = packagesOf(path).catch((error: unknown) => {
        log.warn({ err: error }, 'the packages of an interpreter are not known')
        return []
      })
      this.#foreign = { path, atMs: clock.now(), packages }
    }
    return await this.#foreign.packages
  }

  #forget(part: string): void {
    this.#used.delete(part)
    this.#sweep()
  }

  /** Removes what nobody uses, unless something is being built: that sweeps when it ends. */
  #sweep(): void {
    if (this.#state.kind === 'applying' || this.#stop.signal.aborted) return
    const sweep = (): Promise<void> => this.#folder.sweep(this.#used)
    this.#sweeping = this.#sweeping
      .then(sweep)
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'modules that nobody uses are still there'))
  }

  #untold(error: unknown): void {
    this.#deps.log.error({ err: error }, 'other engines could not be told of other modules')
  }
}
