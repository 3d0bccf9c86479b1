/**
 * What somebody who starts from nothing types, run by scripts/package-check.ts with the packed packages: `npm create flow-service`,
 * `npm install`, the tests, the engine, a webhook, a first run. The packages come from a registry that has the tarballs, and sends
 * npm to the usual one for all others. Argument: the folder of the tarballs, made of folders by package.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

const run = promisify(execFile)
const [, , tarballs = '.'] = process.argv
const home = mkdtempSync(join(tmpdir(), 'packed-app-'))

/** What is packed, by the name of the package. */
const packed = new Map(
  await Promise.all(
    globSync('{*,@flow-service/*}/*.tgz', { cwd: tarballs }).map(async (path) => {
      const file = join(tarballs, path)
      const { stdout } = await run('tar', ['-xzOf', file, 'package/package.json'])
      const manifest = JSON.parse(stdout) as { readonly name: string; readonly version: string }
      return [manifest.name, { manifest, bytes: readFileSync(file) }] as const
    }),
  ),
)

const { stdout: usual } = await run('npm', ['config', 'get', 'registry'])
const registry = createServer(({ url = '/' }, response) => {
  const path = decodeURIComponent(url).slice(1)
  const found = packed.get(path.replace(/\.tgz$/, ''))
  if (!found) return response.writeHead(302, { location: new URL(url.slice(1), usual.trim()).href }).end()
  const { manifest, bytes } = found
  if (path.endsWith('.tgz')) return response.end(bytes)
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const dist = { tarball: `${address}${manifest.name}.tgz`, integrity }
  const versions = { [manifest.version]: { ...manifest, dist } }
  return response.end(JSON.stringify({ name: manifest.name, 'dist-tags': { latest: manifest.version }, versions }))
})
await once(registry.listen(0, '127.0.0.1'), 'listening')
const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`

const env = {
  ...process.env,
  NODE_OPTIONS: '',
  npm_config_registry: address,
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
}
const folder = join(home, 'my-app')
const steps: string[] = []

/** Runs a command and remembers how long it took; what it says. */
async function step(line: string, cwd = folder, more: NodeJS.ProcessEnv = {}): Promise<string> {
  const began = performance.now()
  const [command = '', ...args] = line.split(' ')
  const { stdout } = await run(command, args, { cwd, env: { ...env, ...more } }).catch((error: unknown) => {
    const { stdout: out, stderr } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${line} failed\n${out}\n${stderr}`)
  })
  steps.push(`${line} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  return stdout
}

/** What a stream says until some words come, and it goes on; all of it, when they do not. */
async function saidUntil(stream: Readable, words: string): Promise<string> {
  let said = ''
  for await (const text of stream.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text
    if (said.includes(words)) break
  }
  return said
}

try {
  // npm keeps what it has created by once, by name: an earlier one is not meant
  const made = await step('npm create --yes flow-service@latest my-app', home, {
    npm_config_cache: join(home, 'cache'),
  })
  assert.match(made, /^Made my-app in my-app: /m)
  await step('npm install')
  await step('npm run check')
  await step('npm test')
  const service = join('node_modules', '.bin', 'service')
  const engine = spawn(service, ['dev', 'flows', '--port', '0'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(engine, 'exit')
  try {
    const said = await saidUntil(engine.stdout, 'are swapped in.')
    const [, hook = ''] = /curl -i (\S+)/.exec(said) ?? []
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ letter: 'wish you were here' })
    assert.equal((await fetch(hook, { method: 'POST', headers, body })).status, 202, said)
    assert.match(await step('npx service run fit_line --watch'), /^ok in .*^ {2}slope = [12]\.\d+$/ms)
    const [words] = JSON.parse(await step('npx service messages history postbox.words --json')) as { value: number }[]
    assert.equal(words?.value, 4)
  } finally {
    engine.kill('SIGTERM')
    engine.stdout.resume()
    await ended
  }
  console.log(`a made project works:\n  ${steps.join('\n  ')}`)
} finally {
  registry.close()
  registry.closeAllConnections()
  rmSync(home, { recursive: true, force: true })
}
