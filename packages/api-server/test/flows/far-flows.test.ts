/** Flows of two engines that read each other's messages, and are seen at both. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defineNode } from '@flow-service/connector-sdk'
import type { FlowDocumentInput, FlowListItem, Message } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import * as z from 'zod'

import { newSigningKey } from '../auth/new-signing-key.ts'
import { databaseAt } from '../backend.ts'
import { engineOf } from '../engines/living.ts'
import { TestClient } from '../events/sockets.ts'
import { chain, input, listening, type LiveService, output, startLive } from './live-service.ts'

const oauthSigningKey = newSigningKey()

/** A node that answers requests itself. */
const lens = defineNode({
  type: 'lens',
  title: 'Lens',
  description: '',
  category: 'connector',
  settings: z.strictObject({}),
  modes: ['live'],
  ports: { inputs: 'none', outputs: 'any' },
  arrival: 'each',
  routes: true,
  start(ctx) {
    ctx.routes((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        response.setHeader('x-lens', ctx.node)
        response.end(`${request.method} ${request.url} ${Buffer.concat(parts).length}`)
      })
    })
    return {}
  },
})

let shared: string
let engines: LiveService[]
const open = async (): Promise<LiveService> => {
  const { databaseUrl } = await databaseAt(shared)
  const connectors = [{ package: 'lenses', version: '1.0.0', nodeTypes: { lens } }]
  return startLive({ databaseUrl, oauthSigningKey, artifactsDir: join(shared, 'artifacts'), connectors })
}
beforeEach(async () => {
  shared = await mkdtemp(join(tmpdir(), 'engines-'))
  engines = [await open(), await open()]
})
afterEach(async () => {
  for (const engine of engines) await engine[Symbol.asyncDispose]()
  await rm(shared, { recursive: true, force: true })
})

/** The engine that has a flow. */
const homeOf = (flow: string): Promise<string | null> => engineOf((engines[0] as LiveService).engine.database.sql, flow)

type Documents = Readonly<Record<string, FlowDocumentInput>>

/**
 * Publishes flows and has them run at two engines. Whoever starts a flow has it, until engines share out anew: which they do
 * not where neither has more than half, the flow `lab` aside.
 */
async function apart(first: Documents, second: Documents): Promise<[LiveService, LiveService]> {
  const [one, two] = engines as [LiveService, LiveService]
  const placed = [
    ...Object.entries(first).map((each) => [one, ...each] as const),
    ...Object.entries(second).map((each) => [two, ...each] as const),
  ]
  for (const [at, name, document] of placed) await at.publish(name, document)
  const isApart = async (): Promise<boolean> => {
    let areThere = true
    for (const [at, name] of placed) {
      if ((await homeOf(name)) === at.engineId) continue
      areThere = false
      await at.control(name, 'stop')
      await at.control(name, 'start')
    }
    return areThere
  }
  await expect.poll(isApart, { timeout: 60_000, interval: 200 }).toBe(true)
  return [one, two]
}

/** Reads `porch.seen`, whose values leave as `heard`. */
const reading: FlowDocumentInput = {
  nodes: [{ id: 'pass', type: 'change', settings: {}, ports: [input('porch.seen'), output('heard')] }],
}

test('a flow reads what a flow of another engine publishes, in its order, and begins with the last value that there is', async () => {
  const [, two] = await apart({ porch: listening() }, { hall: reading })
  const sent = Array.from({ length: 50 }, (_, at) => at)
  for (const temp of sent) expect((await two.hook('porch/in', { temp })).status).toBe(202)
  await two.history('hall.heard', sent)
  // a flow that starts later begins with what the other engine has last
  await two.publish('attic', {
    inputs: [{ name: 'go' }],
    nodes: [
      {
        id: 'both',
        type: 'join',
        settings: {},
        ports: [input('go'), input('porch.seen', { trigger: false }), output('both', { dtype: 'any' })],
      },
    ],
  })
  await two.send('attic.go', 1)
  await expect.poll(() => two.values('attic.both')).toEqual([{ go: 1, seen: 49 }])
})

test('what is kept for a reader at another engine is kept there before it is let go here: none is lost, each is read', async () => {
  const [one, two] = await apart({ porch: listening({ durable: true }) }, { hall: reading })
  const sent = Array.from({ length: 30 }, (_, at) => at)
  for (const temp of sent) expect((await one.hook('porch/in', { temp })).status).toBe(202)
  await two.history('hall.heard', sent)
  await expect.poll(async () => [await one.kept('porch'), await two.kept('hall')]).toEqual([0, 0])
  // held by a paused reader, it is the reader's work
  await two.control('hall', 'pause')
  expect((await one.hook('porch/in', { temp: 99 })).status).toBe(202)
  await expect.poll(async () => [await one.kept('porch'), await two.kept('hall')]).toEqual([0, 1])
  await one.control('hall', 'resume')
  await two.history('hall.heard', [...sent, 99])
})

test('each engine lists all flows, nodes and values as they are, whoever runs them', async () => {
  const [one, two] = await apart({ porch: listening(), attic: chain() }, { hall: reading, cellar: listening() })
  await one.control('attic', 'pause')
  await two.send('attic.on', 1)
  await two.hook('porch/in', { temp: 20 })
  await two.history('hall.heard', [20])
  const states = async (at: LiveService) =>
    (await at.root<FlowListItem[]>('GET', '/flows/')).value.flatMap(({ name, status, held }) =>
      ['porch', 'attic', 'hall'].includes(name) ? [[name, status, held]] : [],
    )
  const all = [
    ['attic', 'paused', 1],
    ['hall', 'active', 0],
    ['porch', 'active', 0],
  ]
  const values = async (at: LiveService) =>
    (await at.root<Message[]>('GET', '/messages/')).value.flatMap(({ name, value }) =>
      ['porch.seen', 'hall.heard'].includes(name) ? [[name, value]] : [],
    )
  for (const at of [one, two]) {
    expect(await states(at)).toEqual(all)
    await expect
      .poll(() => values(at))
      .toEqual([
        ['hall.heard', 20],
        ['porch.seen', 20],
      ])
  }
})

test('whoever watches one engine is shown what happens at the other, in the order of each flow', async () => {
  const [one, two] = await apart({ porch: listening() }, { hall: reading })
  const watch = async (at: LiveService) => {
    const { frames } = new TestClient(
      new WebSocket(`${at.origin.replace('http', 'ws')}/api/v1/flows/ws`, {
        headers: { authorization: `Bearer ${at.rootToken}` },
      }),
    )
    await expect.poll(() => frames.length).toBeGreaterThan(0)
    return (message: string) =>
      frames.flatMap((frame) => (frame.type === 'value' && frame.message === message ? [frame.value] : []))
  }
  const sockets = await Promise.all([one, two].map(watch))
  const sent = Array.from({ length: 20 }, (_, at) => at)
  const areTold = async (): Promise<boolean> => {
    await one.hook('porch/in', { temp: -1 })
    return sockets.every((values) => values('hall.heard').length > 0 && values('porch.seen').length > 0)
  }
  await expect.poll(areTold).toBe(true)
  for (const temp of sent) await one.hook('porch/in', { temp })
  for (const values of sockets) {
    for (const message of ['porch.seen', 'hall.heard'])
      await expect.poll(() => values(message).filter((value) => value !== -1)).toEqual(sent)
  }
})

/** Serves what comes to `tick` as a socket, and hears `said` from its clients. */
const talking: FlowDocumentInput = {
  inputs: [{ name: 'tick', dtype: 'any' }],
  nodes: [
    {
      id: 'out',
      type: 'websocket',
      settings: { url: 'out', secret: 'k7-of-the-socket' },
      ports: [input('tick', { dtype: 'any' })],
    },
    { id: 'in', type: 'websocket', settings: { url: 'in' }, ports: [output('said', { dtype: 'any' })] },
  ],
}

const dial = async (at: LiveService, path: string): Promise<{ socket: WebSocket; heard: unknown[] }> => {
  const socket = new WebSocket(`${at.origin.replace('http', 'ws')}/hooks/${path}`)
  const heard: unknown[] = []
  socket.on('message', (data) => heard.push(JSON.parse((data as Buffer).toString())))
  await once(socket, 'open')
  return { socket, heard }
}

test('sockets that a flow serves are reached at either engine, a wrong secret and a flow that is gone are told as ever', async () => {
  const [one, two] = await apart({ porch: talking }, { hall: listening() })
  for (const at of [one, two]) {
    const { socket, heard } = await dial(at, 'porch/out/k7-of-the-socket')
    await expect
      .poll(async () => {
        await one.send('porch.tick', 7)
        return heard.length
      })
      .toBeGreaterThan(0)
    expect(JSON.stringify(heard[0])).toContain('7')
    socket.close()
    await once(socket, 'close')
    await expect(dial(at, 'porch/out/wrong')).rejects.toThrow('404')
  }
  const speaker = await dial(two, 'porch/in')
  speaker.socket.send(JSON.stringify({ said: 'hello' }))
  await expect.poll(() => one.values('porch.said')).toEqual(['hello'])
  const closed = once(speaker.socket, 'close')
  await one.control('porch', 'stop')
  expect((await closed)[0]).toBe(1001)
  await expect(dial(two, 'porch/in')).rejects.toThrow('404')
})

test('the routes of a node are reached at either engine, with bodies and headers', async () => {
  const [one, two] = await apart(
    { porch: { nodes: [{ id: 'eye', type: 'lens', settings: {}, ports: [] }] } },
    { hall: listening() },
  )
  const ask = (at: LiveService, path: string, body?: string, token: string | null = at.rootToken) =>
    fetch(`${at.origin}/api/v1/connectors/lens/porch/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body }),
    })
  for (const at of [one, two]) {
    const got = await ask(at, 'eye/state?x=1')
    expect([got.status, got.headers.get('x-lens'), await got.text()]).toEqual([200, 'eye', 'GET /state?x=1 0'])
    const posted = await ask(at, 'eye/', 'y'.repeat(500_000))
    expect([posted.status, await posted.text()]).toEqual([200, 'POST / 500000'])
    expect((await ask(at, 'eye/state', undefined, null)).status).toBe(401)
    expect((await ask(at, 'nobody/state')).status).toBe(404)
  }
})
