/**
 * Values of runs that are too large to be kept as they are (wire decision V15): their JSON is an artifact, and what the run
 * passes on is a {@link StoredValue}. Node code gets the value itself; what shows or keeps it as JSON has the reference.
 * Only the engine and its workers make them: a reference that node code returns is data like any other.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import { type ArtifactRef, MAX_STORED_VALUE_BYTES, STORED_VALUE_TYPE, type StoredKind } from '@flow-service/protocol'

import type { Host } from './host.ts'

/** A value whose JSON is an artifact. */
export class StoredValue {
  readonly ref: ArtifactRef
  readonly kind: StoredKind

  constructor(ref: ArtifactRef, kind: StoredKind) {
    this.ref = ref
    this.kind = kind
  }

  toJSON(): ArtifactRef {
    return this.ref
  }
}

/** What the values that are stored are, by port; null when none is. */
export function storedKinds(values: Values): Record<string, StoredKind> | null {
  const kinds = Object.entries(values).flatMap(([port, value]) =>
    value instanceof StoredValue ? [[port, value.kind] as const] : [],
  )
  return kinds.length === 0 ? null : Object.fromEntries(kinds)
}

/** Values that went as JSON, with {@link storedKinds} of before: their references stand for values again. */
export function withStored(values: Values, kinds: Readonly<Record<string, StoredKind>> | null | undefined): Values {
  if (!kinds) return values
  const entries = Object.entries(values).map(([port, value]) => {
    const kind = Object.hasOwn(kinds, port) ? kinds[port] : undefined
    return [port, kind === undefined ? value : new StoredValue(value as ArtifactRef, kind)] as const
  })
  return Object.fromEntries(entries)
}

/** Gives the bytes of a digest; rejects when they are gone. */
export type LoadBytes = (digest: string) => Promise<Uint8Array>

/** The values themselves. Rejects when the bytes of one are gone. */
export async function openValues(values: Values, load: LoadBytes): Promise<Values> {
  if (storedKinds(values) === null) return values
  const entries = Object.entries(values).map(async ([port, value]) => [port, await openValue(value, load)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** The value itself. */
export async function openValue(value: unknown, load: LoadBytes): Promise<unknown> {
  if (!(value instanceof StoredValue)) return value
  return JSON.parse(new TextDecoder().decode(await load(value.ref.digest)))
}

/**
 * The values, with those stored that are larger than what is kept as it is. One with the value of a secret stays, for what
 * is stored can be read.
 */
export async function storeLarge(
  values: Values,
  { artifacts, secrets }: Pick<Host, 'artifacts' | 'secrets'>,
  onSaved: (ref: ArtifactRef) => void,
): Promise<Values> {
  const large = Object.entries(values).flatMap(([port, value]) => {
    const json = isShort(value) ? null : largeJson(value)
    return json === null || secrets.mask(value) !== value ? [] : [[port, value, json] as const]
  })
  if (large.length === 0) return values
  const stored = large.map(async ([port, value, json]) => {
    const ref = await artifacts.save(json, { name: `${port}.json`, mediaType: STORED_VALUE_TYPE, volatile: false })
    onSaved(ref)
    return [port, new StoredValue(ref, kindOf(value))] as const
  })
  return { ...values, ...Object.fromEntries(await Promise.all(stored)) }
}

const isShort = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length * 6 < MAX_STORED_VALUE_BYTES
    : typeof value !== 'object' || value === null || value instanceof StoredValue

/** The JSON of a value, if that is longer than what is kept as it is; null of what has none. */
function largeJson(value: unknown): Uint8Array | null {
  try {
    const bytes = Buffer.from(JSON.stringify(value))
    return bytes.length > MAX_STORED_VALUE_BYTES ? bytes : null
  } catch {
    // values may be nested deeper than calls can be
    return null
  }
}

const kindOf = (value: unknown): StoredKind =>
  typeof value === 'string' ? 'string' : Array.isArray(value) ? 'array' : 'object'
