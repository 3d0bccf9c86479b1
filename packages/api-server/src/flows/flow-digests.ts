/**
 * Digests of contents, for the lists of flows: a content is read when it is new, or when something that its issues depend
 * on has changed, and its digest is kept. A list of known contents reads none of them.
 *
 * - flow-digests.D1 a digest holds as long as nobody writes the row, whichever engine that is, and `key` is what it
 *   was: all that its issues depend on beside the content, as far as this content looks at it.
 * - flow-digests.D2 what a key tells is no newer than what the issues were derived from; what changes meanwhile is
 *   found to be new by the next list.
 * - flow-digests.D3 a content that names messages of a flow which is read after it is judged too early, and so once
 *   more.
 * - flow-digests.D4 a few contents are held at a time. What is kept grows with the flows, up to a limit, and with their
 *   wires to others; not with their contents.
 * @module
 */
import { checkSteps, declaredMessages, type NodeRegistry, secretRefs, type Surroundings } from '@flow-service/core'
import { type Dtype, type FlowDocument, type FlowNode, flowPart, type Issue } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import { inTurns } from '../process/turns.ts'
import type { EngineSurroundings } from './engine-surroundings.ts'
import { foreignMessages } from './flow-references.ts'
import type { FlowSecrets } from './flow-secrets.ts'
import { createLibraryStore, type LibraryStore } from './library-store.ts'
import { createFlowStore, type FlowHead, type FlowRow, type FlowStore, type Written } from './store.ts'
import { currentContent, publishedContent } from './stored-content.ts'

/** What lists show of the contents of a flow. */
export interface FlowDigest {
  readonly title: string
  readonly issues: IssueCounts
  /** Messages of other flows that the published content reads; the draft where nothing is published. */
  readonly reads: readonly string[]
  /** Messages of other flows that it publishes. */
  readonly publishes: readonly string[]
}

/** Issues by severity. */
export type IssueCounts = Readonly<Record<Issue['severity'], number>>

/** A flow of a list. */
export interface ListedFlow {
  readonly head: FlowHead
  readonly digest: FlowDigest
}

/** What digests are made of. */
export interface FlowDigestsDeps extends EngineSurroundings {
  readonly database: Pick<Database, 'sql'>
  readonly registry: NodeRegistry
  readonly secrets: FlowSecrets
}

/** What the issues of a content depend on beside it. */
interface Outlook {
  /** Messages of other flows that it names. */
  readonly names: readonly string[]
  readonly libraries: readonly string[]
  readonly types: readonly string[]
  readonly flavor: string | null
  readonly hasPython: boolean
  /** Devices that its nodes stand for. */
  readonly devices: readonly string[]
  readonly hasSecrets: boolean
}

interface Known extends FlowDigest, Outlook, Written {
  readonly key: string
  /** Dtypes of messages that others name, as the published content declares them; null: it does not. */
  readonly dtypes: ReadonlyMap<string, Dtype | null>
}

type Head = FlowHead & Written

interface PassDeps extends FlowDigestsDeps {
  /** The library sources there are, and which writing each comes from. */
  readonly sources: ReadonlyMap<string, string>
}

/** How many digests are kept; the contents of further flows are read for every list. */
const LIMIT = 10_000
/** How many contents are read at a time. */
const CHUNK = 25

/** Digests of the flows of a database. */
export class FlowDigests {
  readonly #deps: FlowDigestsDeps
  readonly #store: FlowStore
  readonly #library: LibraryStore
  readonly #limit: number
  #known: ReadonlyMap<string, Known> = new Map()
  /** The latest list; they follow each other, so that none reads what another one is reading. */
  #latest: Promise<unknown> = Promise.resolve()

  constructor(deps: FlowDigestsDeps, limit = LIMIT) {
    this.#deps = deps
    this.#store = createFlowStore(deps.database.sql)
    this.#library = createLibraryStore(deps.database.sql)
    this.#limit = limit
  }

  /** All flows by name. */
  async list(): Promise<ListedFlow[]> {
    const [heads, sources] = await Promise.all([this.#store.heads(), this.#library.written()])
    const mine = this.#latest.then(() => this.#derive(heads, sources))
    this.#latest = mine.catch(() => {})
    const known = await mine
    return heads.flatMap((head) => {
      const digest = known.get(head.id)
      return digest ? [{ head, digest }] : []
    })
  }

  async #derive(heads: readonly Head[], sources: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, Known>> {
    const pass = new Pass(heads, this.#known, { ...this.#deps, sources })
    for (const stale of [() => pass.unknown(), () => pass.unclear(), () => pass.changed()]) {
      const ids = stale()
      for (let at = 0; at < ids.length; at += CHUNK) {
        // oxlint-disable-next-line no-await-in-loop -- so many contents are held at a time
        for (const row of await this.#store.contents(ids.slice(at, at + CHUNK))) await pass.take(row)
      }
    }
    const found = pass.end()
    this.#known = found.size > this.#limit ? new Map([...found].slice(0, this.#limit)) : found
    return found
  }
}

/** Brings digests up to date: what is stale is asked for in three steps, each of which needs what the former has read. */
class Pass {
  readonly #deps: PassDeps
  readonly #heads: readonly Head[]
  readonly #ids: ReadonlyMap<string, string>
  readonly #digests = new Map<string, Known>()
  /** All messages that contents read in this pass declare, by the flow's id. */
  readonly #declared = new Map<string, ReadonlyMap<string, Dtype>>()
  readonly #missing = new Map<string, string | null>()

  constructor(heads: readonly Head[], known: ReadonlyMap<string, Known>, deps: PassDeps) {
    this.#deps = deps
    this.#heads = heads
    this.#ids = new Map(heads.map(({ id, name }) => [name, id]))
    for (const { id, written } of heads) {
      const digest = known.get(id)
      if (digest?.written === written) this.#digests.set(id, digest)
    }
  }

  /** Flows that are new or were written. */
  unknown(): string[] {
    return this.#heads.flatMap(({ id }) => (this.#digests.has(id) ? [] : [id]))
  }

  /** Flows whose messages are named for the first time. */
  unclear(): string[] {
    const asked = this.#asked()
    return this.#heads.flatMap(({ id, name }) => {
      const dtypes = this.#declared.has(id) ? null : this.#digests.get(id)?.dtypes
      return dtypes && asked.get(name)?.some((message) => !dtypes.has(message)) ? [id] : []
    })
  }

  /** Flows whose issues depend on something that has changed. */
  changed(): string[] {
    return [...this.#digests].flatMap(([id, digest]) => (digest.key === this.#key(digest) ? [] : [id]))
  }

  async take(row: FlowRow & Written): Promise<void> {
    const current = currentContent(row)
    const { document, fault } = current
    const published = row.draft === null ? current : publishedContent(row)
    const messages = published && !published.fault ? declaredMessages(published.document) : []
    this.#declared.set(row.id, new Map(messages.map(({ name, dtype }) => [name, dtype])))
    const { reads, publishes } = foreignMessages((published ?? { document }).document)
    const outlook = outlookOf(document)
    const around: Surroundings = {
      message: (name) => this.#dtypeOf(name),
      missing: (type) => this.#missingOf(type),
      flavors: this.#deps.flavors,
      pythons: this.#deps.pythons,
      secrets: this.#deps.secrets,
      devices: this.#deps.deviceViews,
    }
    // the key first (flow-digests.D2)
    const key = this.#key(outlook)
    const issues = fault ? [fault] : await inTurns(checkSteps(document, this.#deps.registry, around))
    this.#digests.set(row.id, {
      ...outlook,
      written: row.written,
      key,
      title: document.title,
      issues: countsOf(issues),
      reads: [...reads],
      publishes: [...publishes],
      dtypes: new Map(),
    })
  }

  /** The digests; of what was declared they keep what somebody names (flow-digests.D4). */
  end(): ReadonlyMap<string, Known> {
    const asked = this.#asked()
    for (const { id, name } of this.#heads) {
      const [digest, declared] = [this.#digests.get(id), this.#declared.get(id)]
      if (!digest || !declared) continue
      const named = asked.get(name) ?? []
      const dtypes = new Map(named.map((message) => [message, declared.get(message) ?? null]))
      this.#digests.set(id, { ...digest, dtypes })
    }
    return this.#digests
  }

  /** Messages that others name, by flow. */
  #asked(): ReadonlyMap<string, readonly string[]> {
    return Map.groupBy(new Set([...this.#digests.values()].flatMap(({ names }) => names)), flowPart)
  }

  #dtypeOf(message: string): Dtype | undefined {
    const id = this.#ids.get(flowPart(message))
    if (id === undefined) return undefined
    return (this.#declared.get(id) ?? this.#digests.get(id)?.dtypes)?.get(message) ?? undefined
  }

  #missingOf(type: string): string | null {
    const known = this.#missing.get(type)
    if (known !== undefined) return known
    const missing = this.#deps.missing(type)
    this.#missing.set(type, missing)
    return missing
  }

  #key({ names, libraries, types, flavor, hasPython, devices, hasSecrets }: Outlook): string {
    const { deviceViews, flavors, pythons, secrets, sources } = this.#deps
    return JSON.stringify([
      names.map((name) => this.#dtypeOf(name)),
      libraries.map((name) => sources.get(name)),
      types.map((type) => this.#missingOf(type)),
      flavor !== null && flavors.has(flavor),
      hasPython && [pythons.own(), pythons.attached()],
      devices.map((id) => deviceViews.find(id)),
      hasSecrets && secrets.generation,
    ])
  }
}

function outlookOf({ name, nodes, resources }: FlowDocument): Outlook {
  const messages = nodes.flatMap(({ ports }) => ports.map(({ message }) => message))
  return {
    names: [...new Set(messages.filter((message) => flowPart(message) !== name))],
    libraries: [...new Set(nodes.flatMap(({ library }) => library ?? []))],
    types: [...new Set(nodes.map(({ type }) => type))],
    flavor: resources.flavor,
    hasPython: resources.python !== undefined,
    devices: devicesOf(nodes),
    hasSecrets: nodes.some(({ settings }) => secretRefs(settings).length > 0),
  }
}

/** Ids of the devices that nodes stand for. */
const devicesOf = (nodes: readonly FlowNode[]): string[] => [
  ...new Set(
    nodes.flatMap(({ type, settings: { device } }) =>
      type === 'device' && typeof device === 'string' ? [device] : [],
    ),
  ),
]

/** How many there are of each severity. */
export function countsOf(issues: readonly Issue[]): IssueCounts {
  const count = (severity: Issue['severity']): number => issues.filter((issue) => issue.severity === severity).length
  return { error: count('error'), warning: count('warning'), advisory: count('advisory') }
}
