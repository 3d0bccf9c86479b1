/**
 * The id that a device gets whose person has chosen none: made of what it calls itself, as ids are written, and free.
 * @module
 */
import { nameRule, reservedDeviceIds } from '@flow-service/protocol'

/** Room for the number that makes an id one of its own. */
const MAX_LENGTH = 90

/** An id made of the first of these texts that has a letter or digit; none of those that are taken. */
export function suggestedId(said: readonly (string | null)[], taken: ReadonlySet<string>): string {
  const first = said.map((text) => folded(text ?? '')).find((text) => nameRule.pattern.test(text)) ?? 'device'
  const isFree = (id: string): boolean => !taken.has(id) && !reservedDeviceIds.has(id)
  if (isFree(first)) return first
  for (let number = 2; ; number++) if (isFree(`${first}-${number}`)) return `${first}-${number}`
}

/** Lower case without accents; a hyphen for whatever else ids do not have. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, MAX_LENGTH)
    .replace(/[-_]+$/, '')
