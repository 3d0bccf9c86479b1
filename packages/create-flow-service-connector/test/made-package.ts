/** A package that was made in a directory of the test, with the workspace's packages for those that npm would install. */
import { spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import { createConnector, type MadeConnector } from '../src/index.ts'

export const root = join(import.meta.dirname, '../../..')

export class MadePackage implements Disposable {
  readonly home = mkdtempSync(join(tmpdir(), 'made-connector-'))
  readonly made: MadeConnector

  constructor(name: string, kind: string) {
    this.made = createConnector({ name, kind, dir: join(this.home, 'package') })
    for (const folder of globSync('packages/{connector-sdk,flow-sdk}', { cwd: root }))
      this.#link(join('@flow-service', basename(folder)), join(root, folder))
    for (const each of ['zod', 'vitest', '@types/node']) this.#link(each, join(root, 'node_modules', each))
  }

  /** What a file of the package says. */
  read(file: string): string {
    return readFileSync(join(this.made.folder, file), 'utf8')
  }

  /** Changes a file of the package; its text has to have what is replaced. */
  edit(file: string, from: string, to: string): void {
    if (!this.read(file).includes(from)) throw new Error(`${file} has no "${from}"`)
    writeFileSync(join(this.made.folder, file), this.read(file).replaceAll(from, to))
  }

  /** Runs a program in the package; resolves with what it says when it has succeeded. */
  async run(command: string, ...args: string[]): Promise<string> {
    const child = spawn(command, args, { cwd: this.made.folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${said}`)
    return said
  }

  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 })
  }

  #link(name: string, to: string): void {
    const link = join(this.made.folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(to, link)
  }
}
