/** A folder for a package to be made in, with the workspace's packages for those that npm would install. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')
const tool = (name: string): string => join(root, 'node_modules/.bin', name)
const source = ['@flow-service/source']

export class MadeFolder implements Disposable {
  readonly home = mkdtempSync(join(tmpdir(), 'made-'))
  /** Where to make the package; not there yet. */
  readonly folder = join(this.home, 'package')

  /** What a file of the package says. */
  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8')
  }

  /** Puts packages of ours, by their folders, and tools of the workspace where npm would have installed them. */
  link(...ours: string[]): void {
    for (const each of ours) this.#link(`@flow-service/${each}`, join(root, 'packages', each))
    for (const each of ['zod', 'vitest', '@types/node']) this.#link(each, join(root, 'node_modules', each))
  }

  /** Compiles, lints and tests the package; how many tests have passed, when all have. */
  async check(): Promise<number> {
    await this.#run(tool('tsc'), '--customConditions', ...source)
    const lint = await this.#run(tool('oxlint'))
    if (!lint.includes('Found 0 warnings and 0 errors')) throw new Error(lint)
    await this.#run(tool('oxfmt'), '--check', '--config', join(root, '.oxfmtrc.json'), '.')
    const config = join(this.home, 'vitest.config.mjs')
    const resolve = { conditions: source }
    writeFileSync(config, `export default ${JSON.stringify({ resolve, ssr: { resolve } })}\n`)
    const report = join(this.home, 'report.json')
    await this.#run(tool('vitest'), 'run', '--config', config, '--reporter', 'json', '--outputFile', report)
    return (JSON.parse(readFileSync(report, 'utf8')) as { readonly numPassedTests: number }).numPassedTests
  }

  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Runs a program in the package; resolves with what it says when it has succeeded. */
  async #run(command: string, ...args: string[]): Promise<string> {
    const child = spawn(command, args, { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${said}`)
    return said
  }

  #link(name: string, to: string): void {
    const link = join(this.folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(to, link)
  }
}

/** The packages that a package.json asks for, each with its version. */
export function askedBy(manifest: string): Record<string, string> {
  type Manifest = Partial<Record<'dependencies' | 'devDependencies' | 'peerDependencies', Record<string, string>>>
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(manifest) as Manifest
  return { ...dependencies, ...devDependencies, ...peerDependencies }
}

/** What the workspace would ask for in place of each of these packages; of ours, a package of this version. */
export function usualVersions(names: readonly string[]): Record<string, string> {
  const file = (path: string): string => readFileSync(join(root, path), 'utf8')
  const { version } = JSON.parse(file('packages/create-flow-service/package.json')) as { readonly version: string }
  const { '@typescript/native': native = '', ...workspace } = askedBy(file('package.json'))
  const zod = /^ {2}zod: (.*)$/m.exec(file('pnpm-workspace.yaml'))?.[1]
  const has: Record<string, string | undefined> = {
    ...workspace,
    zod,
    typescript: native.replace('npm:typescript@', ''),
  }
  return Object.fromEntries(names.map((name) => [name, `^${name.startsWith('@flow-service/') ? version : has[name]}`]))
}
