/**
 * The dashboards in TypeScript of a running engine: published directly, with a new version only when they have changed. One
 * that no module defines any more stays, and is one like any other (wire decision U9).
 * @module
 */
import type { LoadError } from '../code/project.ts'
import type { RegisteredDashboard } from '../code/registered-dashboard.ts'
import type { Database } from '../db/database.ts'
import type { EventLog } from '../events/event-log.ts'
import type { DashboardChange, DashboardRegistration } from '../flows/code-flows.ts'
import { newId } from '../process/new-id.ts'
import { keepRefs, type DashboardsDeps } from './dashboards.ts'
import { createDashboardStore } from './store.ts'

/** What registration is made of. */
export interface CodeDashboardsDeps {
  readonly artifacts: DashboardsDeps['artifacts']
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

/** Which dashboards the modules of this engine define. */
export class CodeDashboards {
  readonly #deps: CodeDashboardsDeps
  #names: ReadonlySet<string> = new Set()

  constructor(deps: CodeDashboardsDeps) {
    this.#deps = deps
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Registers these in place of those that were registered before. */
  async register(found: readonly RegisteredDashboard[]): Promise<DashboardRegistration> {
    const before = this.#names
    const results = await Promise.all(found.map((dashboard) => this.#store(dashboard)))
    this.#names = new Set(results.flatMap((result) => ('error' in result ? [] : [result.name])))
    return {
      changed: results.flatMap((result) => ('error' in result || !result.isNew ? [] : [changeOf(result)])),
      removed: [...before].filter((name) => !this.#names.has(name)),
      errors: results.flatMap((result) => ('error' in result ? [result.error] : [])),
    }
  }

  async #store({ name, module, shown }: RegisteredDashboard): Promise<Stored> {
    const { artifacts, database, eventLog } = this.#deps
    return database.transaction(async (tx) => {
      const row = await createDashboardStore(tx).register(tx, { id: newId(), name, content: shown, module })
      if (row === null) return { error: taken(name, module) }
      const { version, is_new: isNew } = row
      if (!isNew) return { name, version, isNew }
      await keepRefs(artifacts, tx, row)
      const detail = { dashboard: name, version, module }
      await eventLog.audit(tx, { action: 'dashboard.publish', actor: null, detail })
      return { name, version, isNew }
    })
  }
}

type Stored = (DashboardChange & { readonly isNew: boolean }) | { readonly error: LoadError }

const changeOf = ({ name, version }: DashboardChange): DashboardChange => ({ name, version })

const taken = (name: string, file: string): LoadError => ({
  file,
  line: null,
  column: null,
  message: `there is a dashboard "${name}" that was made through the API; rename one, or delete that one`,
  frame: null,
})
