/**
 * A checkout beside this one: the files of the working tree, and links to the installed packages. What is written and
 * run there leaves this one as it is. `recipes.test.ts` builds in it what `CONTRIBUTING.md` describes.
 * @module
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative, sep } from 'node:path'

/** What a command has left behind: its exit code, and all that it wrote. */
export interface Ended {
  readonly code: number | null
  readonly output: string
}

export interface FreshCheckout extends AsyncDisposable {
  read(path: string): string
  /** Writes a file and the folders above it. */
  write(path: string, text: string): void
  exists(path: string): boolean
  /** Digest of every file by its path. */
  digests(): ReadonlyMap<string, string>
  /** Runs a command of the checkout to its end. */
  run(command: string, ...args: readonly string[]): Promise<Ended>
}

/** Makes a checkout of the working tree at `root`, with changes that are not committed. */
export function freshCheckout(root: string): FreshCheckout {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'checkout-')))
  for (const path of filesOf(root)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(join(root, path), join(folder, path))
  }
  for (const place of ['.', 'docs-site', ...packagesOf(root)]) linkPackages(root, folder, place)
  return {
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    },
    exists: (path) => existsSync(join(folder, path)),
    digests: () => new Map(filesOf(folder).map((path) => [path, digestOf(join(folder, path))])),
    run: (command, ...args) => ended(folder, command, args),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

const digestOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

/** Paths of the files of a checkout, without what its `.gitignore` names. */
function filesOf(root: string): string[] {
  const ignored = new Set(['.git', ...readFileSync(join(root, '.gitignore'), 'utf8').split('\n')])
  const below = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (ignored.has(entry.name) || ignored.has(path.replaceAll(sep, '/'))) return []
      return entry.isDirectory() ? below(path) : [path]
    })
  return below('.')
}

const packagesOf = (root: string): string[] =>
  ['packages', 'packages/connectors', 'examples'].flatMap((group) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(group, name)),
  )

/** Gives a package its `node_modules`: packages of the workspace are those of the new checkout, all others are shared. */
function linkPackages(root: string, folder: string, place: string): void {
  const installed = join(root, place, 'node_modules')
  if (!existsSync(installed)) return
  const link = (path: string): void => {
    const from = join(installed, path)
    const isScope = path.startsWith('@') && !lstatSync(from).isSymbolicLink()
    if (isScope) return readdirSync(from).forEach((name) => link(join(path, name)))
    const target = realpathSync(from)
    const own = relative(root, target)
    const isOwn = !own.startsWith('..') && !own.split(sep).includes('node_modules')
    const to = join(folder, place, 'node_modules', path)
    mkdirSync(dirname(to), { recursive: true })
    symlinkSync(isOwn ? join(folder, own) : target, to, 'junction')
  }
  readdirSync(installed)
    .filter((name) => name !== '.cache' && !name.startsWith('.vite'))
    .forEach(link)
}

function ended(folder: string, command: string, args: readonly string[]): Promise<Ended> {
  // a test runner in a test runner would take itself for a part of the outer one
  const outer = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$|NODE_OPTIONS$)/.test(name))
  const path = [join(folder, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  const child = spawn(command, args, { cwd: folder, env: { ...Object.fromEntries(outer), PATH: path, NO_COLOR: '1' } })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
  child.stdin.end()
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }))
  })
}
