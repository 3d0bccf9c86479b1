/**
 * Python sources that bring modules with them: one text, so that it travels, is stored and is hashed as any source.
 * The modules stand in comments at its end, where they move no line of the code. `python/service/modules.py` reads them.
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
