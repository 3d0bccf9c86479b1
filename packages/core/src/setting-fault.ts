/**
 * What is wrong with a setting, in words for people: which setting, which value, and what to do.
 * @module
 */
import type { AnyNodeDefinition, Values } from '@flow-service/connector-sdk'
import { describeValue, remedyOf, wantedBy } from '@flow-service/protocol'
import type * as z from 'zod'

import { credentialSchemaOf, mayHoldCredential } from './credentials.ts'

type Issue = z.core.$ZodIssue

/** Settings as the document holds them, with the type they belong to. */
export interface WrittenSettings {
  readonly definition: AnyNodeDefinition
  readonly settings: Values
}

/** Whether the fault is that the setting is not there. */
export const isAbsent = ({ settings }: WrittenSettings, { path }: Issue): boolean =>
  path.length > 0 && valueAt(settings, path) === undefined

/** One sentence. Values of settings that are marked as secret, or have such settings in them, are not in it. */
export function settingFault(written: WrittenSettings, issue: Issue): string {
  const { path } = issue
  if (path.length === 0) return `the settings: ${remedyOf(issue)}`
  const name = `setting "${path.join('.')}"`
  if (isAbsent(written, issue)) return `${name} is missing; give it ${wantedBy(issue) ?? 'a value'}`
  const shown = isSecret(written, path) ? 'is not valid' : `is ${describeValue(valueAt(written.settings, path))}`
  return `${name} ${shown}; ${remedyOf(issue)}`
}

/** The same for a key that no setting has, inside the value at a path. */
export function strangerFault(
  { definition }: Pick<WrittenSettings, 'definition'>,
  path: readonly PropertyKey[],
  key: string,
): string {
  const name = [...path, key].join('.')
  const known = path.length > 0 ? [] : Object.keys(definition.settings.shape)
  const instead = known.length === 0 ? 'remove it' : `remove it, or take one of: ${known.join(', ')}`
  return `nodes of type "${definition.type}" have no setting "${name}"; ${instead}`
}

const isSecret = ({ definition }: WrittenSettings, path: readonly PropertyKey[]): boolean =>
  mayHoldCredential(credentialSchemaOf(definition), path)

/** Whether the type has a setting of that name with that mark. Documents may name anything, `constructor` too. */
export function isMarked({ settings: { shape } }: AnyNodeDefinition, name: string, mark: string): boolean {
  return Object.hasOwn(shape, name) && shape[name]?.meta()?.[mark] === true
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  )
