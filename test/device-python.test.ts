/** Boards in Python at a whole service: with the command, as somebody tries it first, and with a program. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream'
import { createServer } from 'node:tls'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { environment, home } from '../packages/device-python/test/python.ts'
import { Authority } from './components/certificates.ts'
import { python, pythons } from './components/pythons.ts'
import { pairDevice } from './device-client.ts'
import { publish, startService, type TestService } from './service.ts'

let at: TestService
let folder: string
beforeAll(async () => {
  at = await startService({ trustProxy: 1 })
  folder = await mkdtemp(join(tmpdir(), 'board-'))
  const source = await fetch(`${at.baseUrl}/devices/runtime`)
  await writeFile(join(folder, 'device.py'), await source.text())
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await at[Symbol.asyncDispose]()
})

const program = join(home, 'test', 'board.py')

/** A program, with what it has printed so far. */
function run(python: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(python, args, { cwd: folder, env: { ...environment, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  // with all that it has printed
  const exited = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  }
  return { lines, exited }
}

interface Doubling {
  readonly from: string
  readonly to: string
  readonly on_demand?: boolean
}

/** A live flow that doubles a port of a device, and hands it the result. */
async function startDoubling(flow: string, device: string, { from, to, ...more }: Doubling): Promise<void> {
  const source = { name: from, port: from, dtype: 'float' }
  const result = { name: to, port: to, dtype: 'float' }
  const camera = { direction: 'output', name: 'camera', port: 'camera', dtype: 'image' }
  await publish(at, flow, {
    mode: 'live',
    nodes: [
      {
        id: 'board',
        type: 'device',
        settings: { device, config: { [from]: { pin: 4 } } },
        ports: [{ direction: 'output', ...source, ...more }, { direction: 'input', ...result }, camera],
      },
      {
        id: 'double',
        type: 'change',
        settings: { scale: 2 },
        ports: [
          { direction: 'input', ...source },
          { direction: 'output', ...result },
        ],
      },
    ],
  })
  await at.send('POST', `/flows/${flow}/start`)
}

const valueOf = async (message: string) => {
  const all = (await at.send('GET', '/messages/')).body as unknown as { name: string; value: unknown }[]
  return all.find(({ name }) => name === message)?.value
}

describe.each(pythons)('with %s', (python) => {
  const name = (python.match(/3\.\d+/)?.[0] ?? 'any').replace('.', '_')

  test('somebody pairs a board by its code, sees it count in a flow, and unpairs it [R117, R433, R434]', async () => {
    const id = `desk_${name}`
    await at.send('POST', `/devices/${id}`)
    await startDoubling(`count_${name}`, id, { from: 'counter', to: 'text' })
    const file = join(folder, `${id}.json`)
    const command = ['device.py', 'pair', at.origin, '--name', 'My desk', '--file', file, '--demo']
    const { lines, exited } = run(python, command)
    const shown = () => lines.flatMap((line) => /(code|check) +((?:\w )+)/.exec(line)?.[2]?.replaceAll(' ', '') ?? [])
    await expect.poll(shown).toHaveLength(2)
    const [code = '', check] = shown()
    expect((await at.send('GET', `/devices/pair/${code}/device`)).body).toMatchObject({ check, name: 'My desk' })
    expect((await at.send('POST', `/devices/${id}/pair`, { code })).status).toBe(200)
    await expect.poll(() => lines).toContain('text: 2')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await expect
      .poll(async () => (await at.send('GET', `/devices/${id}`)).body)
      .toMatchObject({ online: true, io: [{ name: 'counter' }, { name: 'text' }] })
    await at.send('POST', `/devices/${id}/unpair`)
    expect(await exited).toEqual([1, null])
    expect(lines).toContain('error: the device was unpaired or deleted: pair it again')
  })

  test('a program publishes, follows, is wanted and refused, and sends a picture [R129, R130, R654, R658, R659]', async () => {
    const id = `shelf_${name}`
    const credential = await pairDevice(at, id)
    await startDoubling(id, id, { from: 'lux', to: 'doubled', on_demand: true })
    const { lines, exited } = run(python, [program, at.baseUrl, credential])
    await expect.poll(() => lines).toContain('{"sent": true}')
    expect(lines).toEqual(
      expect.arrayContaining([
        `{"id": "${id}", "wanted": true, "config": {"pin": 4}}`,
        expect.stringMatching(/^\{"published": "\d{4}-/),
        '{"doubled": 8}',
        '{"refused": "message_not_declared"}',
        expect.stringContaining('give that of an image, such as image/jpeg'),
      ]),
    )
    expect((await at.send('GET', `/devices/${id}`)).body).toMatchObject({ board: 'a board of tests' })
    await expect.poll(() => valueOf(`${id}.camera`)).toMatchObject({ media_type: 'image/png', size: 9 })
    await at.send('DELETE', `/devices/${id}`)
    expect(await exited).toEqual([0, null])
    expect(lines.at(-1)).toBe('{"ended": "unpaired"}')
  })
})

test.skipIf(python === null)('an address that leads elsewhere is told, and gets nothing', async () => {
  const asked: (string | undefined)[] = []
  const server = createHttpServer((request, response) => {
    asked.push(request.url)
    response.writeHead(308, { location: 'https://flows.example.com/api/v1/devices/pair' }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const file = join(folder, 'nowhere.json')
  const { lines, exited } = run(python ?? '', ['device.py', 'pair', url, '--file', file])
  expect(await exited).toEqual([1, null])
  expect(lines.join()).toContain('308 and leads to https://flows.example.com/api/v1/devices/pair: give that one')
  expect(asked).toEqual(['/api/v1/devices/pair'])
})

describe.skipIf(python === null)('over TLS', () => {
  const ours = new Authority('an authority of a house')
  const connected = async (authority: Authority) => {
    const server = createServer(ours.vouchFor(['localhost']), (client) => {
      const engine = connectTcp(Number(new URL(at.baseUrl).port), '127.0.0.1')
      pipeline(client, engine, client, () => undefined)
    })
    server.on('tlsClientError', () => undefined)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const file = join(folder, 'authority.pem')
    await writeFile(file, authority.cert)
    const url = `https://localhost:${(server.address() as AddressInfo).port}/api/v1`
    return run(python ?? '', [program, url, await pairDevice(at, 'door')], { SSL_CERT_FILE: file }).lines
  }

  test('a board connects to a server that its authorities vouch for', async () => {
    const lines = await connected(ours)
    await expect.poll(() => lines).toContainEqual(expect.stringContaining('"id": "door"'))
  })

  test('and tells what is wrong with another', async () => {
    const lines = await connected(new Authority('an authority of another house'))
    await expect.poll(() => lines).toContainEqual(expect.stringContaining('CERTIFICATE_VERIFY_FAILED'))
  })
})
