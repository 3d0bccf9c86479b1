import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { runService } from './cli-process.ts'
import { serviceCommand } from './engine-process.ts'

const root = join(import.meta.dirname, '..')
/** An engine starts, and loads a package, before something is said. */
const patience = { timeout: 60_000 }

/** A folder in which "service connectors new" makes packages. */
class Workplace implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'new-connector-'))

  /** Makes a package, with the workspace's packages for those that npm would install. */
  async make(name: string, ...flags: string[]): Promise<string> {
    const { code, out, err } = await runService(['connectors', 'new', name, ...flags], { cwd: this.path })
    if (code !== 0 || !out.startsWith(`Made ${name} in ${name}: `)) throw new Error(`nothing was made: ${out}${err}`)
    const folder = join(this.path, name)
    const packages = ['connector-sdk', 'flow-sdk'].map((each) => join(root, 'packages', each))
    const links = [
      ...packages.map((each) => [`@flow-service/${basename(each)}`, each] as const),
      ['zod', join(root, 'node_modules/zod')] as const,
    ]
    for (const [link, to] of links) {
      mkdirSync(dirname(join(folder, 'node_modules', link)), { recursive: true })
      symlinkSync(to, join(folder, 'node_modules', link))
    }
    return folder
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 })
  }
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replaceAll(from, to))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** "npm run dev" of a package, whose engine or device listens on a free port. */
async function dev(folder: string): Promise<ChildProcessWithoutNullStreams> {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { dev: string } }
  const [node, main = '', service, ...args] = scripts.dev.split(' ')
  expect([node, service, ...args]).toEqual(['node', 'service', 'dev', 'flows', '--connector', '.'])
  const port = String(await freePort())
  const isServed = readFileSync(join(folder, 'dev/device.mjs'), 'utf8').includes(':8000/')
  if (isServed) edit(join(folder, 'dev/device.mjs'), ':8000/', `:${port}/`)
  else for (const file of ['dev/device.mjs', 'flows/demo.ts']) edit(join(folder, file), '4711', port)
  const command = [process.execPath, ...serviceCommand(...args, '--port', isServed ? port : '0')]
  return spawn(process.execPath, [main, ...command], { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } })
}

test.each([
  ['poll', 'return { power }', 'return { power: power + 5000 }'],
  ['push', '{ power: data.power }', '{ power: data.power + 5000 }'],
  ['served', '{ power: data.power }', '{ power: data.power + 5000 }'],
])('a package of the kind %s shows values in its engine, and a change of its source', async (kind, from, to) => {
  using at = new Workplace()
  const folder = await at.make('solar-panel', '--kind', kind)
  const child = await dev(folder)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    await expect.poll(() => said, patience).toMatch(/demo\.show {2}power is 2\d\d$/m)
    await expect.poll(() => said, patience).toContain('Changes in flows, . are swapped in.')
    edit(join(folder, 'src/solar_panel.ts'), from, to)
    await expect.poll(() => said, patience).toMatch(/demo\.show {2}power is 52\d\d$/m)
    await expect
      .poll(() => said, patience)
      .toMatch(/solar-panel: solar_panel reloaded in \d+ ms, rebuilt meter of demo$/m)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  expect(said).toContain('Stopped.')
})

test('"service connectors new" refuses what cannot be made, and makes nothing', async () => {
  using at = new Workplace()
  const { code, out, err } = await runService(['connectors', 'new', 'Solar'], { cwd: at.path })
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('error: "Solar" is no name for an npm package: it has capital letters')
  expect(existsSync(join(at.path, 'Solar'))).toBe(false)
})
