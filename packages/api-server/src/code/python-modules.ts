/**
 * The Python modules that a file of a project imports from its own directory, as Python would find them beside a script.
 * Imports are read from the text, never executed: a line that only looks like one costs a module too many.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

import { type PythonModule, pythonSource } from '@flow-service/protocol'

/** A Python file as the source of a node, and the files that it was made of. */
export interface PythonFile {
  readonly source: string
  readonly files: readonly string[]
}

/** Reads a file with the modules beside it that it reaches. Throws when the file itself cannot be read. */
export function readPythonFile(file: string): PythonFile {
  const directory = path.dirname(file)
  const text = fs.readFileSync(file, 'utf8')
  const found = new Map<string, string>()
  const texts = [text]
  for (const importing of texts) {
    const reached = [...importedNames(importing)].flatMap((name) => filesOf(directory, name))
    for (const module of reached) {
      if (found.has(module)) continue
      const content = fs.readFileSync(path.join(directory, module), 'utf8')
      found.set(module, content)
      texts.push(content)
    }
  }
  const modules = [...found].map(([module, content]): PythonModule => ({ path: module, text: content }))
  modules.sort((a, b) => (a.path < b.path ? -1 : 1))
  return {
    source: pythonSource(text, modules),
    files: [file, ...modules.map((module) => path.join(directory, module.path))],
  }
}

/** The module that the runner has for all node code. */
const HELPERS = 'service'
const importLine = /^[ \t]*import[ \t]+([^#;\n]+)|^[ \t]*from[ \t]+([^\s.]+)[^\n]*?[ \t]import[ \t(]/gm

/** First parts of the names that a text imports. */
function importedNames(text: string): Set<string> {
  const names = new Set<string>()
  for (const [, list, from] of text.matchAll(importLine)) {
    const modules = from === undefined ? (list ?? '').split(',') : [from]
    for (const module of modules) {
      const [first = ''] = module.trim().split(/[\s.]/)
      if (first !== HELPERS && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(first)) names.add(first)
    }
  }
  return names
}

/** The files of a module or package of a directory, relative to it with "/"; none where it has no such name. */
function filesOf(directory: string, name: string): string[] {
  const folder = path.join(directory, name)
  if (fs.existsSync(path.join(folder, '__init__.py'))) return packageFiles(directory, name)
  if (fs.existsSync(`${folder}.py`)) return [`${name}.py`]
  return fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? packageFiles(directory, name) : []
}

function packageFiles(directory: string, folder: string): string[] {
  return fs.readdirSync(path.join(directory, folder), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${folder}/${entry.name}`
    if (entry.isDirectory()) return /^[._]/.test(entry.name) ? [] : packageFiles(directory, inside)
    return entry.name.endsWith('.py') ? [inside] : []
  })
}
