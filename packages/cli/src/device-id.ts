/**
 * Ids of devices: those that people type, and the one that a device gets whose person has chosen none.
 * @module
 */
import { nameRule, reservedDeviceIds } from '@flow-service/protocol'

import { CommandFailure } from './failure.ts'
import { printable } from './table.ts'

/** Fails with exit code 2 for what is no id. A reserved one has to be told here: its address is that of something else. */
export function assertDeviceId(text: string): void {
  if (!nameRule.pattern.test(text))
    throw new CommandFailure(2, `"${printable(text)}" is no id of a device: ${nameRule.remedy}`)
  if (reservedDeviceIds.has(text))
    throw new CommandFailure(2, `no device can have the id "${text}"; choose another one`)
}

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
