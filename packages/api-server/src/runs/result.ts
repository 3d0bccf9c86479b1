/**
 * The result of a run as its row keeps it.
 * @module
 */
import { type ArtifactHost, StoredValue } from '@flow-service/core'
import { MAX_STORED_VALUE_BYTES } from '@flow-service/protocol'

/** Outputs by name; a value of more than 262,144 bytes of JSON becomes a reference to that JSON, if it is none yet. */
export async function storableResult(
  result: Record<string, unknown>,
  save: ArtifactHost['save'],
): Promise<Record<string, unknown>> {
  const entries = Object.entries(result).map(async ([port, value]) => {
    if (value instanceof StoredValue) return [port, value.ref] as const
    const bytes = Buffer.from(JSON.stringify(value ?? null))
    if (bytes.length <= MAX_STORED_VALUE_BYTES) return [port, value] as const
    const ref = await save(bytes, { name: `${port}.json`, mediaType: 'application/json', volatile: false })
    return [port, ref] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}
