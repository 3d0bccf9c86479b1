/**
 * Python sources that bring modules with them: one text, so that it travels, is stored and is hashed as any source.
 * The modules stand in comments at its end, where they move no line of the code. `modules.py` of the runner reads them too.
 * @module
 */

const MARK = '#@module '
const HEADING = '# The modules beside this file that it imports, one in each line: they are part of the stage.\n'

/** A module of a project. `path` is relative to the importing file's directory, such as `tools/clean.py`. */
export interface PythonModule {
  readonly path: string
  readonly text: string
}

/** The text of a source with its modules; without any, the source as it is. */
export function pythonSource(source: string, modules: readonly PythonModule[]): string {
  if (modules.length === 0) return source
  const lines = modules.map(({ path, text }) => `${MARK}${JSON.stringify([path, text])}\n`)
  return `${source.endsWith('\n') ? source : `${source}\n`}\n${HEADING}${lines.join('')}`
}

/** A source without its modules, and these; the source as it is when it has none. */
export function pythonParts(source: string): { readonly text: string; readonly modules: readonly PythonModule[] } {
  const [text = '', ...lines] = source.split(`\n${MARK}`)
  return { text, modules: lines.flatMap((line) => moduleOf(line.split('\n', 1)[0] ?? '')) }
}

/** What a line says; nothing when somebody has written another one by hand. */
function moduleOf(line: string): PythonModule[] {
  try {
    const [path, text] = JSON.parse(line) as unknown[]
    return typeof path === 'string' && typeof text === 'string' ? [{ path, text }] : []
  } catch {
    return []
  }
}
