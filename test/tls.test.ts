/** Nodes and peers that speak TLS: whom they trust, and what is said of those whom they do not. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createPlainServer, type Server } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import type { NodeState } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'

import { Authority, type Certified, expired } from './components/certificates.ts'
import { hasMosquitto, type MosquittoServer, startMosquitto } from './components/mosquitto.ts'
import { publish, startService, type TestService } from './service.ts'

const ours = new Authority('plant authority')
const nobody = new Authority('an authority that nobody trusts')
const names = ['localhost', '127.0.0.1']
const alone = new Authority('a server that vouches for itself', names)
const closers: (() => unknown)[] = []
let directory: string
let caFile: string
let at: TestService

/** A web server that answers JSON and takes sockets. */
async function serve({ cert, key }: Certified): Promise<{ port: number; frames: string[] }> {
  const frames: string[] = []
  const server = createServer({ cert, key }, (_request, response) => response.end('{"answer":"over TLS"}'))
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => socket.on('message', (data) => frames.push(String(data as Buffer))))
  return { port: await listening(server), frames }
}

async function listening(server: Server | ReturnType<typeof createServer>): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function broker(name: string, { cert, key }: Certified): Promise<MosquittoServer> {
  const files = [join(directory, `${name}.cert`), join(directory, `${name}.key`)] as const
  await Promise.all([writeFile(files[0], cert), writeFile(files[1], key)])
  const started = await startMosquitto([`certfile ${files[0]}`, `keyfile ${files[1]}`])
  closers.push(() => started.stop())
  return started
}

const input = { direction: 'input', name: 'tick', dtype: 'any' }
const output = (name: string) => ({ direction: 'output', name, dtype: 'any' })
const asks = (id: string, url: string) => ({
  id,
  type: 'http',
  settings: { url, method: 'GET', timeout: 20 },
  ports: [input, { ...output(`of_${id}`), port: 'answer' }],
})
const socket = (id: string, url: string) => ({ id, type: 'websocket', settings: { url }, ports: [input] })
const sends = (id: string, { port, username, password }: MosquittoServer) => ({
  id,
  type: 'mqtt',
  settings: { broker_host: 'mqtts://localhost', broker_port: port, username, password, topic: 't', qos: 1 },
  ports: [input],
})
const live = (...nodes: object[]) => ({ mode: 'live', inputs: [{ name: 'tick', dtype: 'any' }], nodes })

async function run(name: string, ...nodes: object[]): Promise<void> {
  await publish(at, name, live(...nodes))
  await at.send('POST', `/flows/${name}/start`)
  await at.send('POST', `/messages/${name}.tick`, { value: 'hello' })
}
async function stateOf(flow: string, node: string): Promise<NodeState | undefined> {
  const { node_states: states } = await at.client.http.flows.get({ name: flow })
  return states.find((state) => state.node === node)
}
/** What a node says of its peer, in failures or health. */
async function told(flow: string, node: string): Promise<string> {
  const state = await stateOf(flow, node)
  return state?.error?.message ?? state?.message ?? ''
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tls-'))
  caFile = join(directory, 'ca.pem')
  await writeFile(caFile, `the authority of the plant\n${ours.cert}${alone.cert}`)
  at = await startService({ caFile })
})
afterAll(async () => {
  await at?.[Symbol.asyncDispose]()
  await Promise.all(closers.map((close) => close()))
  await rm(directory, { recursive: true, force: true })
})

describe('a peer whose authority is in SERVICE_CA_FILE', () => {
  test('is asked over https:// and gets frames over wss://, by its name and its address', async () => {
    const { port, frames } = await serve(ours.vouchFor(names))
    const { port: itself } = await serve(alone.itself())
    const [named, numbered] = [
      asks('named', `https://localhost:${port}/`),
      asks('numbered', `https://127.0.0.1:${port}/`),
    ]
    await run(
      'trusting',
      named,
      numbered,
      asks('itself', `https://localhost:${itself}/`),
      socket('framed', `wss://localhost:${port}/`),
    )
    await expect.poll(() => frames).toEqual(['hello'])
    const answers = async () =>
      (await at.client.messages.list()).filter(({ name }) => name.startsWith('trusting.of_')).map(({ value }) => value)
    await expect.poll(answers).toEqual(['over TLS', 'over TLS', 'over TLS'])
    expect((await stateOf('trusting', 'framed'))?.health).toBe('ok')
  })

  test.skipIf(!hasMosquitto())('takes payloads over mqtts://', async () => {
    const server = await broker('trusted', ours.vouchFor(names))
    const heard = { ...sends('heard', server), ports: [output('came')] }
    await run('piped', sends('sent', server), heard)
    const again = async () => {
      await at.send('POST', '/messages/piped.tick', { value: 'over TLS' })
      return (await at.client.messages.list()).find(({ name }) => name === 'piped.came')?.value
    }
    await expect.poll(again).toBe('over TLS')
    expect((await stateOf('piped', 'sent'))?.health).toBe('ok')
  })
})

describe('a peer that is not trusted is refused, and the reason names it and what to do', () => {
  const untrusted =
    /the certificate of localhost:\d+ is not trusted \(.+\): name a file with the certificate of its authority in SERVICE_CA_FILE, then start the engine again$/

  test('https:// and wss:// by an authority that nobody knows, or by the server itself', async () => {
    const { port, frames } = await serve(nobody.vouchFor(names))
    const { port: itself } = await serve(new Authority('another one', names).itself())
    await run(
      'wary',
      asks('asked', `https://localhost:${port}/`),
      asks('itself', `https://localhost:${itself}/`),
      socket('framed', `wss://localhost:${port}/`),
    )
    for (const node of ['asked', 'framed', 'itself']) await expect.poll(() => told('wary', node)).toMatch(untrusted)
    expect(frames).toEqual([])
  })

  test.skipIf(!hasMosquitto())('mqtts://, before the password is sent', async () => {
    const server = await broker('untrusted', nobody.vouchFor(names))
    await run('mute', sends('sent', server))
    await expect.poll(() => told('mute', 'sent')).toMatch(untrusted)
    expect(await told('mute', 'sent')).toContain(`broker localhost:${server.port}`)
    expect((await stateOf('mute', 'sent'))?.health).toBe('degraded')
  })

  test('a certificate that has expired, one of another name, and a server that does not speak TLS', async () => {
    const plain = await listening(createPlainServer((_request, response) => response.end()))
    const old = await serve(ours.vouchFor(names, expired))
    const other = await serve(ours.vouchFor(['elsewhere.example']))
    await run(
      'picky',
      asks('old', `https://localhost:${old.port}/`),
      asks('other', `https://localhost:${other.port}/`),
      asks('plain', `https://localhost:${plain}/`),
    )
    const says = (node: string) => expect.poll(() => told('picky', node))
    await says('old').toContain(`the certificate of localhost:${old.port} has expired; renew it there`)
    await says('other').toContain('is one of another name; connect by a name that it holds')
    await says('plain').toContain(`localhost:${plain} does not speak TLS there`)
  })
})

test('NODE_EXTRA_CA_CERTS of the process is trusted too', async () => {
  const { port } = await serve(ours.vouchFor(names))
  const dialer = new URL('../packages/api-server/src/egress/dialer.ts', import.meta.url).href
  const code = `const { createDialer } = await import(${JSON.stringify(dialer)})
    const socket = createDialer({ rules: { refusal: () => null } })({ host: 'localhost', port: ${port}, tls: true })
    const say = (text) => { console.log(text); socket.destroy() }
    socket.once('secureConnect', () => say('trusted')).once('error', (error) => say(error.message))`
  const args = ['--conditions=@flow-service/source', '--input-type=module', '-e', code]
  const said = async (env: NodeJS.ProcessEnv) =>
    (await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } })).stdout
  const [without, withThem] = await Promise.all([said({}), said({ NODE_EXTRA_CA_CERTS: caFile })])
  expect(without).toContain('is not trusted')
  expect(withThem).toBe('trusted\n')
})
