/**
 * The code of single nodes (wire decision G22). Code of a node's own is part of its flow: a change of it is a change of
 * the draft. Shared code is part of the library: a change of it acts at once.
 * @module
 */
import type { FlowNode, NodeSource } from '@flow-service/protocol'

import { actorOf } from '../../events/event-log.ts'
import { ProblemError } from '../../http/errors.ts'
import type { UserPrincipal } from '../../http/principal.ts'
import type { FlowsDeps } from '../flows.ts'
import { createLibraryStore } from '../library-store.ts'
import { refresh } from '../refresh.ts'
import { assertOwnedByApi, noFlow, versionConflict } from '../refusals.ts'
import { digestOf, linked, linkNodes, unlinked } from '../source-links.ts'
import { createFlowStore, type FlowRow, type FlowStore } from '../store.ts'
import { contentOf, currentContent } from '../stored-content.ts'
import type { Library } from './library.ts'

/** What node sources are made of. */
export type NodeSourcesDeps = Pick<
  FlowsDeps,
  'code' | 'database' | 'eventLog' | 'flowVersions' | 'live' | 'published' | 'registry'
>

/** The place of a source: a node of a flow. */
export interface SourcePlace {
  readonly flow: string
  readonly node: string
}

/** New code; with a version it is refused once the source is of another one. */
export interface SourceUpdate {
  readonly code: string
  readonly version?: number | undefined
}

/**
 * Sources of nodes, in the draft of their flow or where there is none in its published form. A flow, node or source that
 * does not exist is refused with `not_found`; a change of a flow in TypeScript with `code_defined`.
 */
export class NodeSources {
  readonly #deps: NodeSourcesDeps
  readonly #store: FlowStore
  readonly #library: Library

  constructor(deps: NodeSourcesDeps, library: Library) {
    this.#deps = deps
    this.#store = createFlowStore(deps.database.sql)
    this.#library = library
  }

  /** The code that the node executes; a node without any has an empty one. */
  async get(place: SourcePlace): Promise<NodeSource> {
    const row = await this.#flow(place)
    const node = this.#node(row, place)
    if (node.library === null) return ownSource(row, node)
    return sharedSource(place, await this.#library.find(node.library))
  }

  /**
   * Replaces the code: a node's own in its draft, and shared code at once for all users. Refuses with `version_conflict`,
   * and with `validation_failed` when published flows that share the code could not execute it.
   */
  async put(place: SourcePlace, { code, version }: SourceUpdate, by: UserPrincipal): Promise<NodeSource> {
    const row = await this.#flow(place)
    const node = this.#node(row, place)
    assertOwnedByApi(row, this.#deps.code)
    if (node.library !== null) {
      const update = { name: node.library, code, version, through: place }
      return sharedSource(place, await this.#library.update(update, by))
    }
    if (version !== undefined && version !== row.version) throw versionConflict(row.name, row.version)
    if (node.source === code) return ownSource(row, node)
    const changed = await this.#saveOwn(row, { ...node, source: code }, by)
    // somebody was faster; with a version that is a conflict, without one this change comes after theirs
    if (changed === null) return this.put(place, { code, version }, by)
    this.#deps.code.release(row.name)
    this.#deps.live.announce(changed)
    return ownSource(changed, { ...node, source: code })
  }

  /**
   * Makes the code of a node a library source that the node uses from then on, also in the published form where that has
   * the same code. Refuses with `already_exists`, and with `validation_failed` when there is no code.
   */
  async share(place: SourcePlace, name: string, by: UserPrincipal): Promise<NodeSource> {
    const { database, eventLog, flowVersions } = this.#deps
    const { id, entry } = await database.transaction(async (tx) => {
      const library = createLibraryStore(tx)
      await library.lock()
      const row = await this.#flow(place, createFlowStore(tx))
      const node = this.#node(row, place)
      assertOwnedByApi(row, this.#deps.code)
      const code = shareable(node)
      const made = await library.create({ name, code, by: by.email })
      if (made === null) throw taken(name)
      const has = (stored: object): boolean => 'id' in stored && stored.id === node.id
      const same = (stored: object): boolean =>
        has(stored) && 'source' in stored && stored.source === code && !('library' in stored && stored.library)
      await linkNodes(tx, { row, by, flowVersions }, (stored) => (same(stored) ? linked(stored, name) : stored))
      await eventLog.audit(tx, entryOf('library.share', place, name, by))
      return { id: row.id, entry: made }
    })
    this.#deps.code.release(place.flow)
    await refresh([id], { ...this.#deps, rebuild: false })
    return sharedSource(place, entry)
  }

  /** Gives a node a copy of the shared code, in the draft and in the published form; one that shares none is left alone. */
  async unshare(place: SourcePlace, by: UserPrincipal): Promise<NodeSource> {
    const { database, eventLog, flowVersions } = this.#deps
    const row = await database.transaction(async (tx) => {
      await createLibraryStore(tx).lock()
      const stored = await this.#flow(place, createFlowStore(tx))
      const { id, library: name, source: code } = this.#node(stored, place)
      assertOwnedByApi(stored, this.#deps.code)
      if (name === null) return stored
      if (code === null) throw new ProblemError('not_found', `the library has no source "${name}" to copy`)
      const isUser = (node: object): boolean =>
        'id' in node && node.id === id && 'library' in node && node.library === name
      const changed = await linkNodes(tx, { row: stored, by, flowVersions }, (node) =>
        isUser(node) ? unlinked(node, code) : node,
      )
      await eventLog.audit(tx, entryOf('library.unshare', place, name, by))
      return changed
    })
    if (row.origin === 'api') this.#deps.code.release(row.name)
    await refresh([row.id], { ...this.#deps, rebuild: false })
    return ownSource(row, this.#node(row, place))
  }

  async #flow({ flow }: SourcePlace, store = this.#store): Promise<FlowRow> {
    const row = await store.byName(flow)
    if (row === null) throw noFlow(flow)
    return row
  }

  #node(row: FlowRow, { node: id }: SourcePlace): FlowNode {
    const node = currentContent(row).document.nodes.find((item) => item.id === id)
    if (node === undefined) throw new ProblemError('not_found', `flow "${row.name}" has no node "${id}"`)
    if (this.#deps.registry.get(node.type)?.code === 'python') return node
    const where = node.entry ? `; its code is ${node.entry.export} of ${node.entry.module}` : ''
    throw new ProblemError('not_found', `node "${id}" is of type "${node.type}", which has no source${where}`)
  }

  #saveOwn(row: FlowRow, node: FlowNode, by: UserPrincipal): Promise<FlowRow | null> {
    const { document } = currentContent(row)
    const nodes = document.nodes.map((item) => (item.id === node.id ? node : item))
    const draft = {
      id: row.id,
      version: row.version,
      content: contentOf({ ...document, nodes }),
      by: by.email,
      before: row,
    }
    return this.#deps.database.transaction((tx) => this.#store.save(tx, draft))
  }
}

function ownSource({ name, version }: FlowRow, { id, source }: FlowNode): NodeSource {
  const code = source ?? ''
  return { flow: name, node: id, code, library: null, digest: digestOf(code), version }
}

const sharedSource = (place: SourcePlace, entry: { name: string; code: string; version: number }): NodeSource => ({
  ...place,
  code: entry.code,
  library: entry.name,
  digest: digestOf(entry.code),
  version: entry.version,
})

function shareable({ id, library, source }: FlowNode): string {
  if (library !== null)
    throw new ProblemError('already_exists', `node "${id}" shares "${library}" already; unshare it first`)
  if (source === null || source === '')
    throw new ProblemError('validation_failed', `node "${id}" has no code to share; write it first`, { errors: [] })
  return source
}

const taken = (name: string): ProblemError =>
  new ProblemError('already_exists', `the library has a source "${name}"; choose another name`)

const entryOf = (action: string, { flow, node }: SourcePlace, library: string, by: UserPrincipal) => ({
  action,
  actor: actorOf(by),
  flow,
  node,
  detail: { library },
})
