/**
 * The node types that an engine knows.
 * @module
 */
import { type AnyNodeDefinition, CONTRACT, type NodeShape } from '@flow-service/connector-sdk'
import type { FlowMode, FlowNode, NodeType } from '@flow-service/protocol'
import * as z from 'zod'

import { credentialSchemaOf, plainCredentials } from './credentials.ts'

/** The package a node type comes from. */
export interface PackageOrigin {
  readonly package: string
  readonly version: string
}

/** Stands for the package of built-in node types; no package has such a name. */
const BUILT_IN = '(built-in)'

/** A node type of a package. */
export interface InstalledType {
  readonly definition: AnyNodeDefinition
  readonly origin: PackageOrigin
}

/** Node types that an engine has beside the built-in ones. */
export interface InstalledTypes {
  readonly types: readonly InstalledType[]
  /** Types that it has not, by name: why, and what to do about their nodes. */
  readonly absent: ReadonlyMap<string, string>
}

type Schema = Readonly<Record<string, unknown>>

/** Words that are not written as they are in names. */
const spellings: Readonly<Record<string, string>> = { id: 'ID', json: 'JSON', qos: 'QoS', url: 'URL' }

/** Where schemas hold those of their parts. */
const inner = new Set(['items', 'additionalProperties'])

/** Node types by name; the first definition of a name wins, so that nobody replaces a built-in type. */
export class NodeRegistry {
  readonly #definitions = new Map<string, AnyNodeDefinition>()
  readonly #strict = new WeakMap<AnyNodeDefinition, z.ZodObject>()
  /** Of definitions that were replaced, too: nodes may go on with them. */
  readonly #origins = new WeakMap<AnyNodeDefinition, PackageOrigin>()
  readonly #absent: Map<string, string>
  #catalogue: readonly NodeType[] | null = null

  constructor(definitions: Iterable<AnyNodeDefinition>, { types, absent }: InstalledTypes = nothingInstalled) {
    for (const definition of definitions) this.#add(definition)
    for (const type of types) this.#addInstalled(type)
    this.#absent = new Map(absent)
  }

  /**
   * Puts types in the place of those that a package has had: for nodes that are built from now on. A type that another
   * package has, or the engine, stays what it is.
   */
  replace(name: string, { types, absent }: InstalledTypes): void {
    for (const [type, definition] of this.#definitions)
      if (this.originOf(definition)?.package === name) this.#definitions.delete(type)
    for (const type of types) this.#addInstalled(type)
    for (const [type, why] of absent) this.#absent.set(type, why)
    this.#catalogue = null
  }

  #addInstalled({ definition, origin }: InstalledType): void {
    this.#origins.set(definition, origin)
    this.#add(definition)
  }

  #add(definition: AnyNodeDefinition): void {
    if (!this.#definitions.has(definition.type)) this.#definitions.set(definition.type, definition)
  }

  get(type: string): AnyNodeDefinition | undefined {
    return this.#definitions.get(type)
  }

  list(): readonly AnyNodeDefinition[] {
    return [...this.#definitions.values()]
  }

  /** The package of a type that is registered, or was; null for a built-in one. */
  originOf(definition: AnyNodeDefinition): PackageOrigin | null {
    return this.#origins.get(definition) ?? null
  }

  /** The name under which the package of a type keeps what its nodes store. */
  namespaceOf(definition: AnyNodeDefinition): string {
    return this.originOf(definition)?.package ?? BUILT_IN
  }

  /** What is told of a node whose type is not there: why, and what to do. */
  absence(type: string): string {
    return this.#absent.get(type) ?? `there is no node type "${type}"; install its package or change the type`
  }

  /** Every type as {@link nodeTypeEntry} has it, by name. Made when somebody asks first: schemas take their time. */
  catalogue(): readonly NodeType[] {
    this.#catalogue ??= this.list()
      .map((definition) => nodeTypeEntry(definition, this.originOf(definition)))
      .toSorted((a, b) => (a.type < b.type ? -1 : 1))
    return this.#catalogue
  }

  /** The settings' schema of a registered type, refusing unknown keys unless the type takes any (G66). */
  settingsOf(definition: AnyNodeDefinition): z.ZodObject {
    let schema = this.#strict.get(definition)
    if (schema === undefined) {
      schema = strictSettings(definition)
      this.#strict.set(definition, schema)
    }
    return schema
  }

  /** Whether the type of a node says if an input runs it (G13); undefined when that is up to the document. */
  imposedTrigger({ type, settings }: Pick<FlowNode, 'type' | 'settings'>, port: string): boolean | undefined {
    const definition = this.#definitions.get(type)
    // nothing of what stands for a device is executed
    if (definition?.device !== undefined || definition?.passive?.(settings).includes(port) === true) return false
    return definition?.ports?.fixed?.find((fixed) => fixed.direction === 'input' && fixed.port === port)?.trigger
  }

  /** Those settings of a node of a registered type that hold a credential as it is, as JSON Pointers. */
  plainCredentials(definition: AnyNodeDefinition, settings: unknown): readonly string[] {
    return plainCredentials(credentialSchemaOf(definition), settings)
  }
}

const nothingInstalled: InstalledTypes = { types: [], absent: new Map() }

/** Whether an execution of a node of this shape may be repeated. */
export const isIdempotent = ({ idempotent }: AnyNodeDefinition, shape: NodeShape): boolean =>
  typeof idempotent === 'function' ? idempotent(shape) : (idempotent ?? true)

/** Whether a node may be executed again after it has failed: the author's own code, and what a repetition does no harm. */
export const mayRetry = (definition: AnyNodeDefinition, shape: NodeShape): boolean =>
  definition.code !== undefined || isIdempotent(definition, shape)

/** Modes in which a node of this shape may stand. */
export function modesOf(definition: AnyNodeDefinition, shape: NodeShape): readonly FlowMode[] {
  const { modes } = definition
  return typeof modes === 'function' ? modes(shape) : (modes ?? ['live', 'batch'])
}

/** A node type as the catalogue shows it (G66); without an origin it is built in, and always there. */
export function nodeTypeEntry(definition: AnyNodeDefinition, origin: PackageOrigin | null = null): NodeType {
  const { type, title, description, category, modes, ports } = definition
  return {
    type,
    title,
    description,
    category,
    package: origin?.package ?? null,
    version: origin?.version ?? null,
    contract: origin === null ? null : CONTRACT,
    available: true,
    missing: null,
    modes: Array.isArray(modes) ? [...modes] : ['live', 'batch'],
    has_source: definition.code === 'python',
    superuser: definition.superuser ?? false,
    ports: {
      inputs: ports?.inputs ?? 'any',
      outputs: ports?.outputs ?? 'any',
      fixed: (ports?.fixed ?? []).map((port) => ({ ...port, trigger: port.trigger ?? true })),
    },
    params: titled(z.toJSONSchema(strictSettings(definition), { io: 'input' })),
  }
}

function strictSettings({ settings }: AnyNodeDefinition): z.ZodObject {
  return settings.def.catchall === undefined ? settings.strict() : settings
}

/** A JSON Schema of settings in which each property has a title, its own or its name in words, those of objects inside too. */
function titled(schema: Schema): Schema {
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key === 'properties') return [key, titledProperties(value as Readonly<Record<string, Schema>>)]
    return [key, inner.has(key) && isSchema(value) ? titled(value) : value]
  })
  return Object.fromEntries(entries) as Schema
}

const titledProperties = (properties: Readonly<Record<string, Schema>>): Schema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, { title: titleOf(name), ...titled(schema) }]),
  )

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function titleOf(name: string): string {
  const words = name
    .split('_')
    .filter((word) => word !== '')
    .map((word) => spellings[word] ?? word)
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
