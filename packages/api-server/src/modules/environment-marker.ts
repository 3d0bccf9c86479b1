/**
 * Environment markers of Python requirements, such as `python_version < "3.13" and sys_platform == "linux"` (PEP 508).
 * Read strictly: pip gets what was understood here, and nothing else.
 * @module
 */

const variables: ReadonlySet<string> = new Set([
  'python_version',
  'python_full_version',
  'os_name',
  'sys_platform',
  'platform_release',
  'platform_system',
  'platform_version',
  'platform_machine',
  'platform_python_implementation',
  'implementation_name',
  'implementation_version',
  'extra',
])
/** Words, quoted texts, comparisons and parentheses. */
const token = /\s*(?:([a-z_]+)|("[A-Za-z0-9 ._*+!:/~-]*"|'[A-Za-z0-9 ._*+!:/~-]*')|(===|[<>=!~]=|[<>])|([()]))/y
const MAX_DEPTH = 20

interface Token {
  readonly kind: 'word' | 'text' | 'comparison' | 'bracket'
  readonly text: string
}

/** The marker with one space between its words; null when it is none. */
export function readMarker(text: string): string | null {
  const tokens = tokensOf(text)
  if (tokens === null) return null
  const left = [...tokens]
  return takeAlternatives(left, 0) && left.length === 0 ? tokens.map((each) => each.text).join(' ') : null
}

function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  token.lastIndex = 0
  while (token.lastIndex < end) {
    const found = token.exec(text)
    if (found === null) return null
    const [, word, quoted, comparison, bracket] = found
    if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted })
    else if (comparison !== undefined) tokens.push({ kind: 'comparison', text: comparison })
    else tokens.push({ kind: 'bracket', text: bracket ?? '' })
  }
  return tokens
}

/** `a or b and c`, off the front of the tokens; both words bind alike here, for nothing is evaluated. */
function takeAlternatives(left: Token[], depth: number): boolean {
  if (depth > MAX_DEPTH || !takeOne(left, depth)) return false
  while (left[0]?.text === 'and' || left[0]?.text === 'or') {
    left.shift()
    if (!takeOne(left, depth)) return false
  }
  return true
}

function takeOne(left: Token[], depth: number): boolean {
  if (left[0]?.text === '(') {
    left.shift()
    return takeAlternatives(left, depth + 1) && left.shift()?.text === ')'
  }
  return isValue(left.shift()) && takeComparison(left) && isValue(left.shift())
}

function takeComparison(left: Token[]): boolean {
  const first = left.shift()
  if (first?.text === 'not') return left.shift()?.text === 'in'
  return first?.kind === 'comparison' || first?.text === 'in'
}

const isValue = (value: Token | undefined): boolean =>
  value?.kind === 'text' || (value?.kind === 'word' && variables.has(value.text))
