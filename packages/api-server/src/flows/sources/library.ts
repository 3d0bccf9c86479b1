/**
 * The library: source that several nodes share (wire decision G22). Drafts and published forms name it; its code stands
 * here alone, so that a change of it is a change of all its users.
 * - library.Y1 who changes the library locks it, and the contents of flows, first: no user comes or goes meanwhile.
 * - library.Y2 a source is never removed from under its users: they are named, or given copies in the same transaction.
 * @module
 */
import type { LibrarySource, LibraryUse } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'
import { actorOf } from '../../events/event-log.ts'
import { invalid, ProblemError } from '../../http/errors.ts'
import type { UserPrincipal } from '../../http/principal.ts'
import type { FlowsDeps } from '../flows.ts'
import { createLibraryStore, type LibraryRow, type LibraryStore, type LibraryUser } from '../library-store.ts'
import { changeOrFind } from '../lost-answer.ts'
import { refresh } from '../refresh.ts'
import { digestOf, linkNodes, unlinked } from '../source-links.ts'
import { createFlowStore, type FlowRow } from '../store.ts'
import { publishedContent } from '../stored-content.ts'

/** What the library is made of. */
export type LibraryDeps = Pick<
  FlowsDeps,
  'database' | 'eventLog' | 'flowVersions' | 'live' | 'published' | 'pythonIssues'
>

/** New code of a source, edited through one of its users. */
export interface LibraryUpdate {
  readonly name: string
  readonly code: string
  /** Version that was read; undefined: whatever it is now. */
  readonly version: number | undefined
  /** The node through which the code is changed. */
  readonly through: { readonly flow: string; readonly node: string }
}

/** Library sources by name; an unknown name is refused with `not_found`. */
export class Library {
  readonly #deps: LibraryDeps
  readonly #store: LibraryStore

  constructor(deps: LibraryDeps) {
    this.#deps = deps
    this.#store = createLibraryStore(deps.database.sql)
  }

  /** All sources by name, with their users. */
  async list(): Promise<LibrarySource[]> {
    const [rows, users] = await Promise.all([this.#store.list(), this.#store.users(null)])
    const bySource = Map.groupBy(users, ({ library }) => library)
    return rows.map(({ name, code, updated_at }) => ({
      name,
      code,
      digest: digestOf(code),
      used_by: (bySource.get(name) ?? []).map(useOf),
      updated_at,
    }))
  }

  async find(name: string): Promise<LibraryRow> {
    return found(await this.#store.byName(name), name)
  }

  /**
   * Replaces the code at once for all drafts and published forms; active users are rebuilt. Refuses with
   * `version_conflict`, and with `validation_failed` when a published user could not execute the code.
   */
  async update({ name, code, version, through }: LibraryUpdate, by: UserPrincipal): Promise<LibraryRow> {
    const { database, eventLog } = this.#deps
    // the code is parsed here, and looked at again when no user can come any more (library.Y1)
    await this.#assertFits(database.sql, name, code)
    let before: LibraryRow | null = null
    const write = async (tx: Sql) => {
      const store = createLibraryStore(tx)
      await store.lock()
      const entry = found(await store.byName(name), name)
      if (version !== undefined && version !== entry.version) throw conflict(entry)
      before = entry
      if (entry.code === code) return { row: entry, users: [] }
      await this.#assertFits(tx, name, code)
      const changed = found(await store.update({ name, code, by: by.email }), name)
      const using = await store.users(name)
      // other engines look at what has been written
      await createFlowStore(tx).touch(idsOf(using))
      const detail = { library: name, version: changed.version, flows: [...new Set(using.map(({ flow }) => flow))] }
      await eventLog.audit(tx, { action: 'library.update', actor: actorOf(by), ...through, detail })
      return { row: changed, users: using }
    }
    const { row, users } = await changeOrFind(
      () => database.transaction(write),
      async () => {
        const row = await this.#store.byName(name)
        return row?.code === code && row.version === (before?.version ?? 0) + 1
          ? { row, users: await this.#store.users(name) }
          : null
      },
    )
    const executing = idsOf(users.filter(({ published }) => published))
    const drafts = idsOf(users).filter((id) => !executing.includes(id))
    await Promise.all([
      refresh(executing, { ...this.#deps, rebuild: true }),
      refresh(drafts, { ...this.#deps, rebuild: false }),
    ])
    return row
  }

  /**
   * Removes a source. Its users keep it from being removed (`in_use`), unless they are detached: then each has a copy of
   * its own, in its draft and in its published form.
   */
  async remove(name: string, options: { readonly detach: boolean }, by: UserPrincipal): Promise<void> {
    const { database, eventLog, flowVersions } = this.#deps
    const ids = await database.transaction(async (tx) => {
      const store = createLibraryStore(tx)
      await store.lock()
      const { code, version } = found(await store.byName(name), name)
      const users = await store.users(name)
      if (users.length > 0 && !options.detach) throw inUse(name, users)
      const flows = createFlowStore(tx)
      const using = await Promise.all(idsOf(users).map((id) => flows.byId(id)))
      const isUser = (node: object): boolean => 'library' in node && node.library === name
      for (const row of using) {
        // oxlint-disable-next-line no-await-in-loop -- statements of one transaction
        if (row) await linkNodes(tx, { row, by, flowVersions }, (node) => (isUser(node) ? unlinked(node, code) : node))
      }
      const detail = { library: name, version, detached: users.map(useOf) }
      await eventLog.audit(tx, { action: 'library.delete', actor: actorOf(by), detail })
      await store.remove(name)
      return idsOf(users)
    })
    await refresh(ids, { ...this.#deps, rebuild: false })
  }

  /** What published users execute has to be executable: the change acts on them at once. */
  async #assertFits(sql: Sql, name: string, code: string): Promise<void> {
    const { pythonIssues } = this.#deps
    const users = (await createLibraryStore(sql).users(name)).filter(({ published }) => published)
    const flows = createFlowStore(sql)
    const rows = await Promise.all(idsOf(users).map((id) => flows.byId(id)))
    const faults = rows.map(async (row) => {
      const document = row && using(row, name, code)
      const issues = document ? await pythonIssues(document) : []
      return issues.map(({ message }) => ({
        path: '/code',
        code: 'bad_source',
        message: `the published flow "${row?.name}" could not execute it: ${message}`,
      }))
    })
    const items = (await Promise.all(faults)).flat()
    if (items.length > 0) throw invalid(items)
  }
}

/** The published form of a flow with new code in the users of a source, and without other nodes. */
function using(row: FlowRow, library: string, code: string) {
  const content = publishedContent(row)
  if (content === null) return null
  const { document } = content
  const nodes = document.nodes.filter((node) => node.library === library).map((node) => ({ ...node, source: code }))
  return { ...document, nodes }
}

function found(row: LibraryRow | null, name: string): LibraryRow {
  if (row) return row
  throw new ProblemError('not_found', `the library has no source "${name}"`)
}

function conflict({ name, version }: LibraryRow): ProblemError {
  const detail = `the library source "${name}" is at version ${version} now; read it, merge, and send "version": ${version}`
  return new ProblemError('version_conflict', detail, { current_version: version })
}

function inUse(name: string, users: readonly LibraryUser[]): ProblemError {
  const nodes = users.map(({ flow, node }) => `"${node}" of "${flow}"`)
  const shown = nodes.length > 3 ? [...nodes.slice(0, 3), `${nodes.length - 3} more`] : nodes
  const detail = `the library source "${name}" is used by ${shown.join(', ')}; unshare it there, or detach all users`
  return new ProblemError('in_use', detail, { used_by: users.map(useOf) })
}

const useOf = ({ flow, node, draft, published }: LibraryUser): LibraryUse => ({ flow, node, draft, published })

const idsOf = (users: readonly LibraryUser[]): string[] => [...new Set(users.map(({ flow_id: id }) => id))]
