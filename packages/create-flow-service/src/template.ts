/**
 * Writes a folder from the folders of a template, whole or not at all. `create-flow-service-connector` makes its packages by it
 * too. Files of a template are those of a package that works; words of it stand for those of the package to make.
 * @module
 */
import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'

import { UsageError } from './package-name.ts'

/** What to write where. */
export interface TemplateOptions {
  /** Absolute path of the folder to make; one that is there has to be empty, but for a repository. */
  readonly folder: string
  /** Folders of the template; all of them go into the new one. */
  readonly templates: readonly string[]
  /** Words of the template, in texts and in names of files, with those that stand in their place. */
  readonly words: Readonly<Record<string, string>>
  /** Version of the packages of ours that the new one asks for. */
  readonly version: string
  /** A last change of the text at a path. */
  readonly finish?: (path: string, text: string) => string
}

/**
 * Makes the folder; the paths of its files in it. Throws a {@link UsageError} for a folder that has something, and an Error
 * when a file cannot be written: whatever was written until then is gone.
 */
export function writeTemplate(options: TemplateOptions): string[] {
  const { folder, templates } = options
  checkFolder(folder)
  const files = templates.flatMap((template) => filesOf(template, options))
  const made: string[] = []
  try {
    for (const [path, text] of files) writeFile(join(folder, path), text, made)
  } catch (error) {
    for (const path of made.toReversed()) rmSync(path, { recursive: true, force: true })
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`"${folder}" cannot be made, and nothing of it is left: ${reason}`, { cause: error })
  }
  return files.map(([path]) => path).toSorted()
}

function checkFolder(folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new UsageError(`"${folder}" is a file; give another folder`)
  const entries = readdirSync(folder).filter((entry) => entry !== '.git')
  if (entries.length === 0) return
  const shown = entries.slice(0, MOST_SHOWN).map((entry) => `"${entry}"`)
  const more = entries.length > MOST_SHOWN ? ` and ${entries.length - MOST_SHOWN} more` : ''
  throw new UsageError(`"${folder}" is not empty, it has ${shown.join(', ')}${more}; give a folder that is`)
}

const MOST_SHOWN = 3

/** The texts of a template by the paths that they get. */
function filesOf(template: string, options: TemplateOptions): [path: string, text: string][] {
  const { words, version, finish = (_path: string, text: string) => text } = options
  const files = globSync('**/*', { cwd: template, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => {
    const file = join(parentPath, name)
    const text = replaced(readFileSync(file, 'utf8'), words)
    // npm leaves a file that begins with a dot out of what it packs, or obeys it
    const path = replaced(relative(template, file), words).replaceAll(/(^|[/\\])_(?=\w)/g, '$1.')
    return [path, finish(path, name === 'package.json' ? versioned(text, version) : text)]
  })
}

function replaced(text: string, words: TemplateOptions['words']): string {
  return text.replaceAll(new RegExp(Object.keys(words).join('|'), 'g'), (word) => words[word] ?? word)
}

/** A package.json that asks for packages of ours in the version. */
const versioned = (text: string, version: string): string =>
  text.replaceAll(/("@flow-service\/[\w-]+": )"[^"]*"/g, `$1"^${version}"`)

/** Writes a file that is not there yet; `made` gets the paths that were not there before, even if writing fails. */
function writeFile(file: string, text: string, made: string[]): void {
  makeFolder(dirname(file), made)
  const handle = openSync(file, 'wx')
  made.push(file)
  try {
    writeFileSync(handle, text)
  } finally {
    closeSync(handle)
  }
}

function makeFolder(folder: string, made: string[]): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder), made)
  mkdirSync(folder)
  made.push(folder)
}
