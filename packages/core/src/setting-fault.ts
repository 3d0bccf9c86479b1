/**
 * What is wrong with a setting, in words for people: which setting, which value, and what to do.
 * @module
 */
import type { AnyNodeDefinition, Values } from '@flow-service/connector-sdk'
import { describeValue } from '@flow-service/protocol'
import type * as z from 'zod'

import { credentialSchemaOf, mayHoldCredential } from './check-credentials.ts'

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
  if (path.length === 0) return `the settings: ${remedy(issue)}`
  const name = `setting "${path.join('.')}"`
  if (isAbsent(written, issue)) return `${name} is missing; give it ${wantedBy(issue) ?? 'a value'}`
  const shown = isSecret(written, path) ? 'is not valid' : `is ${describeValue(valueAt(written.settings, path))}`
  return `${name} ${shown}; ${remedy(issue)}`
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

/** What to do instead. A text that the type's author has written goes before any of ours. */
function remedy(issue: Issue): string {
  const { message } = issue
  if (isOwn(message)) return message
  const wanted = wantedBy(issue)
  return wanted === null ? message : `give it ${wanted}`
}

/** Whether a text is not one of the schema library's. */
const isOwn = (message: string): boolean => !/^(Invalid|Too|Unrecognized) /.test(message)

function wantedBy(issue: Issue): string | null {
  switch (issue.code) {
    case 'invalid_type':
      return words[issue.expected] ?? `a ${issue.expected}`
    case 'invalid_value':
      return oneOf(issue.values.map((value) => JSON.stringify(value) ?? String(value)))
    case 'too_small':
      return bounded(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    case 'too_big':
      return bounded(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    case 'invalid_union':
      return wantedByUnion(issue.errors)
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'unrecognized_keys':
      return null
  }
}

const words: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

/** An alternative that the value has the form of tells more than all that it has not. */
function wantedByUnion(alternatives: readonly (readonly Issue[])[]): string | null {
  const inside = alternatives.find((issues) => issues.every(({ path }) => path.length > 0))
  const [first] = inside ?? []
  if (first !== undefined) return `an object whose "${first.path.join('.')}" is ${wantedBy(first) ?? 'valid'}`
  const wanted = alternatives.map(([issue]) => {
    if (issue === undefined) return null
    return isOwn(issue.message) ? issue.message : wantedBy(issue)
  })
  return wanted.length === 0 || wanted.includes(null) ? null : oneOf([...new Set(wanted)] as string[])
}

function bounded(origin: string, how: string, bound: number | bigint): string {
  if (origin === 'string') return `${how} ${bound} ${bound === 1 ? 'character' : 'characters'}`
  if (origin === 'array' || origin === 'set') return `${how} ${bound} ${bound === 1 ? 'item' : 'items'}`
  return `a number of ${how} ${bound}`
}

const oneOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
