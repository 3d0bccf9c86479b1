/**
 * Names that code can take as arguments (wire decision G60).
 * @module
 */
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Words that neither Python 3 nor JavaScript (strict mode) takes as a name. */
const keywords: ReadonlySet<string> = new Set(
  `False None True __debug__ and as assert async await break case catch class const continue debugger def default del
  delete do elif else enum except export extends false finally for from function global if implements import in
  instanceof interface is lambda let new nonlocal not null or package pass private protected public raise return static
  super switch this throw true try typeof var void while with yield`.split(/\s+/),
)

/** Whether the text is a keyword of Python or TypeScript. */
export const isReserved = (name: string): boolean => keywords.has(name)

/** Whether both Python and TypeScript take the text as the name of a parameter. */
export const isIdentifier = (name: string): boolean => identifier.test(name) && !isReserved(name)
