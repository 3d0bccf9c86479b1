/**
 * The project around a directory of flows: its root, its modules, its commit, and what went wrong in it.
 * @module
 */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import type { RolldownError } from 'rolldown'

/** Why a module or a flow was not loaded. `file` is relative to the project root; `line` and `column` count from 1. */
export interface LoadError {
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  /** What failed and what to do. */
  readonly message: string
  /** The lines around the place, with a mark under it. */
  readonly frame: string | null
}

/** The nearest directory at or above `directory` with a `package.json`; `directory` itself when there is none. */
export function projectRootOf(directory: string): string {
  for (let at = directory; ; at = path.dirname(at)) {
    if (fs.existsSync(path.join(at, 'package.json'))) return at
    if (path.dirname(at) === at) return directory
  }
}

/**
 * The modules that may define flows: `.ts .mts .js .mjs` files of the directory and its subdirectories, without
 * `node_modules`, hidden directories, directories of tests, declarations, tests and configuration files.
 */
export function findModules(directory: string): string[] {
  return fs
    .readdirSync(directory, { withFileTypes: true })
    .flatMap((entry) => {
      const full = path.join(directory, entry.name)
      if (entry.isDirectory()) return skippedDirectory.test(entry.name) ? [] : findModules(full)
      return moduleFile.test(entry.name) && !skippedFile.test(entry.name) ? [full] : []
    })
    .toSorted()
}

const skippedDirectory = /^(?:\..*|node_modules|tests?|__tests__)$/
const moduleFile = /\.m?[jt]s$/
const skippedFile = /\.(?:d|test|test-d|spec|config)\.m?[jt]s$/

/** Whether a resolved file is the project's own code, not an installed package or a virtual module. */
export const isOwnCode = (file: string): boolean => path.isAbsolute(file) && !file.includes('/node_modules/')

/** The checked out commit, `-dirty` with changes in the work tree; null outside git. */
export async function commitOf(root: string): Promise<string | null> {
  try {
    const head = await git(root, 'rev-parse', 'HEAD')
    const changes = await git(root, 'status', '--porcelain', '--untracked-files=normal', '--', '.')
    return changes === '' ? head : `${head}-dirty`
  } catch {
    return null
  }
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd, timeout: 5_000 })
  return stdout.trim()
}

/** The lines around a place of a text, with a mark under it. */
export function codeFrame(text: string, line: number, column: number): string {
  const lines = text.split('\n')
  const first = Math.max(1, line - 2)
  return lines
    .slice(first - 1, line + 1)
    .flatMap((content, index) => {
      const number = `${first + index}: `
      const shown = number + content
      return first + index === line ? [shown, `${' '.repeat(number.length + column - 1)}^`] : [shown]
    })
    .join('\n')
}

/** What the bundler says, as the author's own files and lines. */
export function buildErrors(error: unknown, root: string): LoadError[] {
  const causes: readonly Partial<RolldownError>[] =
    error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : [error as Error]
  return causes.map(({ id, loc, frame, message = String(error) }) => ({
    file: id === undefined ? null : path.relative(root, id),
    line: loc?.line ?? null,
    column: loc === undefined ? null : loc.column + 1,
    message: message.replace(/^\[\w+\] |^Parse failed with \d+ errors?:\n/, '').split('\n', 1)[0] ?? message,
    frame: frame ?? null,
  }))
}
