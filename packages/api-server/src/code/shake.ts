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

const calls: ReadonlySet<string> = new Set(['CallExpression', 'TSAsExpression', 'TSSatisfiesExpression'])

/**
 * The module's text with the initial value of each variable behind `exports` (by exported name) in a function that
 * may be dropped with all its arguments when nobody uses the variable. Lines stay where they are.
 */
export function separateDefinitions(code: string, file: string, exports: ReadonlySet<string>): string {
  const body = parseAst(code, { lang: /\.[cm]?ts$/.test(file) ? 'ts' : 'js' }, file).body as unknown as Statement[]
  const locals = localNames(body, exports)
  const places = body.flatMap((statement) => initialValues(statement, locals, exports.has('default')))
  return places
    .filter((place) => calls.has(place.type) && !awaits(place))
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end }) =>
        `${text.slice(0, start)}/* @__PURE__ */ (() => (${text.slice(start, end)}))()${text.slice(end)}`,
      code,
    )
}

interface Statement extends Syntax {
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

function initialValues(statement: Statement, locals: ReadonlySet<string>, defaultToo: boolean): Syntax[] {
  const { type, declaration } = statement
  if (type === 'ExportDefaultDeclaration') return defaultToo && declaration ? [declaration] : []
  const variables = type === 'ExportNamedDeclaration' ? declaration : statement
  if (variables?.type !== 'VariableDeclaration') return []
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
