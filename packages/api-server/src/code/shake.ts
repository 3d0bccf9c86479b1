/**
 * Makes the definitions of a module independent of each other for tree shaking: what a stage does not use of its
 * module must not be in its bundle, or an edit of one stage would change the digests of all (wire decision G64).
 * @module
 */
import { parseAst } from 'rolldown/parseAst'

interface Syntax {
  readonly type: string
  readonly start: number
  readonly end: number
}
interface Declarator {
  readonly id: { readonly type: string; readonly name?: string }
  readonly init: Syntax | null
}

/** Values that need no help: the bundler sees that they do nothing, and functions get their names from where they stand. */
const plain: ReadonlySet<string> = new Set([
  'ArrowFunctionExpression',
  'ClassExpression',
  'FunctionExpression',
  'Identifier',
  'Literal',
])

/**
 * The module's text with the initial value of each variable in a function that may be dropped with all its arguments
 * when nobody uses the variable. Those are the variables behind `exports` (by exported name), and what the module
 * itself reads: a variable that nobody reads is there for what its value does. Lines stay where they are.
 */
export function separateDefinitions(code: string, file: string, exports: ReadonlySet<string>): string {
  const body = parseAst(code, { lang: /\.[cm]?ts$/.test(file) ? 'ts' : 'js' }, file).body as unknown as Statement[]
  const locals = new Set([...localNames(body, exports), ...namesRead(body)])
  const places = body.flatMap((statement) => initialValues(statement, locals, exports.has('default')))
  return places
    .filter((place) => !plain.has(place.type) && !awaits(place))
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end }) =>
        `${text.slice(0, start)}/* @__PURE__ */ (() => (${text.slice(start, end)}))()${text.slice(end)}`,
      code,
    )
}

interface Statement extends Syntax {
  readonly kind?: string
  readonly declaration?: Statement | null
  readonly declarations?: readonly Declarator[]
  readonly specifiers?: readonly { readonly local: { name?: string }; readonly exported: { name?: string } }[]
  readonly source?: unknown
}

function localNames(body: readonly Statement[], exports: ReadonlySet<string>): ReadonlySet<string> {
  const renamed = body
    .filter(({ type, source }) => type === 'ExportNamedDeclaration' && !source)
    .flatMap(({ specifiers = [] }) => specifiers)
    .flatMap(({ local, exported }) => (exports.has(exported.name ?? '') && local.name ? [local.name] : []))
  return new Set([...exports, ...renamed])
}

/** Names that stand in the module more than once: where they are declared, and where they are read. */
function namesRead(body: readonly Statement[]): string[] {
  const counts = new Map<string, number>()
  const count = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(count)
    if (typeof node !== 'object' || node === null) return
    const { type, name, computed, shorthand, ...parts } = node as Record<string, unknown>
    if (type === 'Identifier') counts.set(name as string, (counts.get(name as string) ?? 0) + 1)
    // names of members are no variables
    if (computed === false) delete parts[type === 'MemberExpression' ? 'property' : 'key']
    if (shorthand === true) delete parts['key']
    Object.values(parts).forEach(count)
  }
  count(body)
  return [...counts].flatMap(([name, times]) => (times > 1 ? [name] : []))
}

function initialValues(statement: Statement, locals: ReadonlySet<string>, defaultToo: boolean): Syntax[] {
  const { type, declaration } = statement
  if (type === 'ExportDefaultDeclaration') return defaultToo && declaration ? [declaration] : []
  const variables = type === 'ExportNamedDeclaration' ? declaration : statement
  if (variables?.type !== 'VariableDeclaration' || variables.kind?.endsWith('using')) return []
  return (variables.declarations ?? []).flatMap(({ id, init }) => (init && locals.has(id.name ?? '') ? [init] : []))
}

/** Whether an expression awaits outside any function of its own: then it cannot move into one. */
function awaits(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(awaits)
  if (typeof node !== 'object' || node === null) return false
  const { type } = node as Syntax
  if (type === 'AwaitExpression') return true
  if (type === 'ArrowFunctionExpression' || type === 'FunctionExpression') return false
  return Object.values(node).some(awaits)
}
