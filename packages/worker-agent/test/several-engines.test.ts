/** A worker of several engines of one database. */
import { readdirSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'

import { describe, expect, onTestFinished, test } from 'vitest'

import type { RemoteWorkerOptions } from '../src/index.ts'
import { type Behaviour, fakeEngine, type FakeEngine, tokenOf } from './fake-engine.ts'
import { bundle, isAlive, until, welcome } from './harness.ts'
import { startWorker } from './remote-worker.ts'

const token = tokenOf({ name: 'gpu-1', labels: [] })
const code = { kind: 'code', entry: 'entry' } as const
const quick = { source: bundle('() => ({ y: 1 })'), ...code }
const endless = { source: bundle('() => new Promise((r) => setTimeout(r, 1e6))'), ...code }

interface Named extends FakeEngine {
  /** What it names in its next welcome. */
  named: string[]
}

/** An engine that says its own address, and those that it is told to name. */
async function engine(more: Behaviour = {}): Promise<Named> {
  const made: Named = Object.assign(
    await fakeEngine({
      onHello: (link) => link.send({ ...welcome, url: made.url, engines: made.named }),
      ...more,
    }),
    { named: [] as string[] },
  )
  made.named = [made.url]
  return made
}

/** Engines that name each other. */
async function cluster(count: number): Promise<Named[]> {
  const engines = await Promise.all(Array.from({ length: count }, () => engine()))
  for (const one of engines) one.named = engines.map(({ url }) => url)
  return engines
}

const start = (url: string, more: Partial<RemoteWorkerOptions> = {}) => startWorker(url, { token, ...more })

/** An address that leads to one engine after the other. */
async function balancer(engines: readonly FakeEngine[]): Promise<string> {
  let taken = 0
  const server = createServer((socket) => {
    const { port } = new URL(engines[taken++ % engines.length]?.url ?? '')
    const onward = connect(Number(port), '127.0.0.1')
    for (const end of [socket, onward]) end.on('error', () => [socket, onward].forEach((one) => one.destroy()))
    socket.pipe(onward).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/workers/attach`
}

/** The end of a call over whichever link takes it. */
async function served(one: FakeEngine): Promise<unknown> {
  for (;;) {
    const link = one.links().find(({ socket, frames }) => socket.readyState === socket.OPEN && frames.length > 0)
    const call = link?.begin(quick) ?? ''
    const back = link?.seen('busy', (frame) => frame.call === call).then(() => null)
    // oxlint-disable-next-line no-await-in-loop -- a link that is one too many gives calls back
    const last = await Promise.race([link?.last(call) ?? link, back, link?.closed.then(() => null)])
    if (last) return last
    // oxlint-disable-next-line no-await-in-loop -- see above
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('a worker of several engines', () => {
  test('attaches to all that the first one names, with one set of processes, and serves each', async () => {
    const engines = await cluster(3)
    const { events, directory } = start(engines[0]?.url ?? '', { parallel: 3 })
    const links = await Promise.all(engines.map((one) => one.link()))
    const last = await Promise.all(links.map((link) => link.call(quick)))
    expect(last.every(({ type }) => type === 'result')).toBe(true)
    expect(events.map(({ type }) => type)).toEqual(['attached', 'attached', 'attached'])
    expect(new Set(events.map((event) => 'url' in event && event.url))).toEqual(new Set(engines.map(({ url }) => url)))
    expect(readdirSync(directory).filter((name) => name.startsWith('flow-worker-'))).toHaveLength(1)
  })

  test('has its places once: a call beyond them comes back, and is executed when there is one', async () => {
    const engines = await cluster(2)
    start(engines[0]?.url ?? '')
    const [a, b] = await Promise.all(engines.map((one) => one.link()))
    if (!a || !b) throw new Error('two engines')
    const running = a.begin(endless)
    await a.seen('started', ({ call }) => call === running)
    expect(await b.seen('shared', ({ calls }) => calls === 1)).toBeDefined()
    const back = b.begin(quick)
    expect(await b.seen('busy')).toEqual({ type: 'busy', call: back })
    a.send({ type: 'cancel', call: running })
    expect(await a.last(running)).toMatchObject({ error: { type: 'cancelled' } })
    // the place is kept for the engine whose call came back, and the other one was told before its call was over
    const told = a.frames.findLastIndex((frame) => frame.type === 'shared' && frame.calls === 1)
    expect(told).toBeLessThan(a.frames.findIndex((frame) => frame.type === 'error' && frame.call === running))
    expect(await b.call(quick)).toMatchObject({ type: 'result' })
    expect(b.frames.some((frame) => 'call' in frame && frame.call === back && frame.type !== 'busy')).toBe(false)
  })

  test('shares what it has of CPUs, GPUs and memory', async () => {
    const engines = await cluster(2)
    start(engines[0]?.url ?? '', { parallel: 4, resources: { cpus: 4, gpus: 1, ram_mb: 100 } })
    const [a, b] = await Promise.all(engines.map((one) => one.link()))
    const gpu = { cpus: 1, gpus: 1, ram_mb: 0 }
    const call = a?.begin({ ...endless, demand: gpu })
    await a?.seen('started', (frame) => frame.call === call)
    expect(await b?.seen('shared', ({ calls }) => calls === 1)).toMatchObject({ resources: gpu })
    b?.begin({ ...quick, demand: gpu })
    await b?.seen('busy')
    expect(await b?.call({ ...quick, demand: { ...gpu, gpus: 0 } })).toMatchObject({ type: 'result' })
  })

  test('goes on with the calls of one when another one is killed, and attaches to that again', async () => {
    const engines = await cluster(2)
    const { events } = start(engines[0]?.url ?? '', { parallel: 2 })
    const [a, b] = await Promise.all(engines.map((one) => one.link()))
    if (!a || !b) throw new Error('two engines')
    const [lost, kept] = [a.begin(endless), b.begin(endless)]
    const { pid } = await a.seen('started', ({ call }) => call === lost)
    const other = await b.seen('started', ({ call }) => call === kept)
    a.socket.terminate()
    expect(await until(() => !isAlive(pid))).toBe(true)
    const again = await (engines[0] as Named).link(2)
    expect(await again.call(quick)).toMatchObject({ type: 'result' })
    expect([isAlive(other.pid), events.filter(({ type }) => type === 'lost').length]).toEqual([true, 1])
  })

  test('attaches to one that comes, and leaves one alone that has gone', async () => {
    const [a, b] = [await engine(), await engine()]
    const { events } = start(a.url)
    const first = await a.link()
    first.send({ type: 'engines', engines: [a.url, b.url] })
    b.named = [a.url, b.url]
    const second = await b.link()
    first.send({ type: 'engines', engines: [a.url] })
    second.send({ type: 'engines', engines: [a.url] })
    // it is served as long as the link stands
    expect(await second.call(quick)).toMatchObject({ type: 'result' })
    second.socket.terminate()
    expect(await until(() => events.some(({ type }) => type === 'lost'))).toBe(true)
    expect(await first.call(quick)).toMatchObject({ type: 'result' })
    expect(b.attempts()).toBe(1)
  })

  test('is attached once to each behind an address that leads to any of them, also after all links were lost', async () => {
    const engines = await cluster(2)
    const url = await balancer(engines)
    const { events } = start(url, { parallel: 2 })
    await Promise.all(engines.map((one) => one.link()))
    const open = (): number[] =>
      engines.map((one) => one.links().filter(({ socket }) => socket.readyState === socket.OPEN).length)
    expect(open()).toEqual([1, 1])
    for (const one of engines) for (const { socket } of one.links()) socket.terminate()
    expect(await until(() => events.filter(({ type }) => type === 'lost').length >= 2)).toBe(true)
    for (const one of engines) expect(await served(one)).toMatchObject({ type: 'result' })
    await expect.poll(open).toEqual([1, 1])
  })

  test('keeps to one engine with "single"', async () => {
    const engines = await cluster(2)
    start(engines[0]?.url ?? '', { single: true })
    const link = await engines[0]?.link()
    expect(await link?.call(quick)).toMatchObject({ type: 'result' })
    expect(engines[1]?.attempts()).toBe(0)
  })

  test('dials no address that would show its token, and says so', async () => {
    const one = await engine()
    one.named = [one.url, 'ws://10.0.0.1/api/v1/workers/attach']
    const { events, happened } = start(one.url)
    expect(await happened('problem')).toBe(true)
    expect(events.find(({ type }) => type === 'problem')).toMatchObject({
      detail: expect.stringContaining('in the clear'),
    })
    expect(await (await one.link()).call(quick)).toMatchObject({ type: 'result' })
  })
})

describe('a worker of several engines ends', () => {
  const refuse: Behaviour['onHello'] = (link) => {
    link.send({ type: 'refused', code: 'protocol_mismatch', protocol: 2, detail: 'upgrade the worker' })
    link.socket.close(4001)
  }

  test('not when one refuses it, but when all do', async () => {
    const [a, b] = [await engine(), await engine({ onHello: refuse })]
    a.named = [a.url, b.url]
    const { events, end, happened } = start(a.url)
    const link = await a.link()
    expect(await happened('problem')).toBe(true)
    expect(events.at(-1)).toMatchObject({ detail: expect.stringContaining(`${b.url} is served no more`) })
    expect(await link.call(quick)).toMatchObject({ type: 'result' })
    expect(b.attempts()).toBe(1)
    link.socket.close(4001)
    expect(await end).toMatchObject({ kind: 'refused' })
  })

  test('when its token is revoked, wherever that is told first', async () => {
    const engines = await cluster(2)
    const { end } = start(engines[0]?.url ?? '', { parallel: 2 })
    const [a, b] = await Promise.all(engines.map((one) => one.link()))
    const call = a?.begin(endless)
    const started = await a?.seen('started', (frame) => frame.call === call)
    b?.socket.close(4003)
    expect(await end).toMatchObject({ kind: 'credential' })
    expect(isAlive(started?.pid ?? 0)).toBe(false)
  })

  test('when no engine has had a call for long enough, and says good-bye to all [R596]', async () => {
    const engines = await cluster(2)
    const { end } = start(engines[0]?.url ?? '', { maxIdleS: 0.4 })
    const [a, b] = await Promise.all(engines.map((one) => one.link()))
    const slow = { source: bundle('() => new Promise((r) => setTimeout(() => r({ y: 1 }), 1000))'), ...code }
    expect(await b?.call(slow)).toMatchObject({ type: 'result' })
    expect(await end).toMatchObject({ kind: 'idle' })
    for (const link of [a, b]) expect(link?.frames.at(-1)).toEqual({ type: 'bye', reason: 'max_idle' })
  })
})
