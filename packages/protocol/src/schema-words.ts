/**
 * What a schema asks for, in words for people: texts of the schema library name types, and say nothing of what to do.
 * @module
 */
import type * as z from 'zod'

type Issue = z.core.$ZodIssue

/** What to do about an issue: the text of the schema's author, else what to give in place of the value. */
export function remedyOf(issue: Issue): string {
  const { message } = issue
  if (isOwn(message)) return message
  const wanted = wantedBy(issue)
  return wanted === null ? message : `give it ${wanted}`
}

/** Whether a text is not one of the schema library's. */
const isOwn = (message: string): boolean => !/^(Invalid|Too|Unrecognized) /.test(message)

/** What would do in place of the value, such as `a whole number`; null where only the issue's own text tells. */
export function wantedBy(issue: Issue): string | null {
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
    case 'invalid_format':
      return formats[issue.format] ?? null
    case 'custom':
    case 'invalid_element':
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

const formats: Readonly<Record<string, string>> = {
  datetime: 'a time such as 2027-03-21T08:00:00Z',
  email: 'an e-mail address',
  url: 'an address such as https://example.com/',
  uuid: 'a UUID',
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
