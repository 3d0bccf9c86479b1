/** HTTP routes of nodes on the memory host, behind a server of the test. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { Connector, type NodeContext, nodeTypeOf, type RouteHandler } from '@flow-service/connector-sdk'
import type { Router } from 'express'
import { afterEach, expect, test } from 'vitest'

import type { StartError } from '../../src/index.ts'
import type { MemoryHost } from '../../src/testing.ts'
import { run } from '../batch/batch-run.ts'
import { batch, flow, output, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { engine } from './live-engine.ts'
import { anySettings } from './rebuilding.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

/** Asks a node of a host; what the host rejects with is told as text. */
async function ask(host: MemoryHost, address: string, url = '/'): Promise<string> {
  const { promise, reject } = Promise.withResolvers<never>()
  const server = createServer((request, response) => {
    void host.ask(address, request, response).catch((error: Error) => reject(error))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const answer = fetch(`http://127.0.0.1:${port}${url}`).then((response) => response.text())
  answer.catch(() => {})
  return Promise.race([answer, promise]).catch((error: Error) => error.message)
}

const routed = (handler: (ctx: NodeContext) => RouteHandler) => ({
  ...type('routed', (ctx) => {
    ctx.routes(handler(ctx))
    return {}
  }),
  settings: anySettings,
})
const one = (settings = {}) => flow([{ id: 'n', type: 'routed', settings, ports: [output('y')] }])

test('a node answers requests of its own while its flow is active or paused [R397]', async () => {
  const { host, start } = engine([
    routed((ctx) => (request, response) => {
      ctx.send('y', request.url)
      response.end(`at ${request.url}`)
    }),
  ])
  expect(await ask(host, 'routed/f/n')).toBe('there is no node "routed/f/n"')
  const live = await start(one())
  expect(await ask(host, 'routed/f/n', '/picture?size=2')).toBe('at /picture?size=2')
  expect(host.values('f.y')).toEqual(['/picture?size=2'])
  live.pause()
  expect(await ask(host, 'routed/f/n', '/')).toBe('at /')
  await live.stop()
  expect(await ask(host, 'routed/f/n')).toBe('there is no node "routed/f/n"')
  expect(host.cascades.map(({ origin }) => origin.kind)).toContain('webhook')
})

test.each([
  ['throws', (): RouteHandler => () => boom()],
  ['rejects', (): RouteHandler => async () => boom()],
  ['passes on', (): RouteHandler => (_request, _response, next) => next(new Error('no camera'))],
])('what a handler %s marks its node as failed', async (_, handler) => {
  const { host, start } = engine([routed(handler)])
  const live = await start(one())
  expect(await ask(host, 'routed/f/n')).toBe('no camera')
  expect(live.nodeStates()).toMatchObject([{ status: 'failed', error: { message: 'no camera' } }])
})
function boom(): never {
  throw new Error('no camera')
}

test('what the handler gives back is nowhere, and no failure', async () => {
  const { host, start } = engine([routed(() => (_request, _response, next) => next())])
  const live = await start(one())
  expect(await ask(host, 'routed/f/n', '/x')).toBe('the node "routed/f/n" has nothing at /x')
  expect(live.nodeStates()).toMatchObject([{ status: 'idle' }])
})

test('requests wait for the new node of a rebuild', async () => {
  const { host, start } = engine([
    {
      ...type('routed', async (ctx) => {
        await new Promise<void>((resolve) => void ctx.after(5, resolve))
        ctx.routes((_request, response) => response.end(`form ${String(ctx.settings.form)}`))
        return {}
      }),
      settings: anySettings,
    },
  ])
  const starting = start(one({ form: 1 }))
  await host.advance(5000)
  const live = await starting
  const rebuilt = live.rebuild(one({ form: 2 }))
  await turn()
  const waiting = ask(host, 'routed/f/n')
  await host.advance(5000)
  await rebuilt
  expect(await waiting).toBe('form 2')
})

test('the stop ends what a node has open', async () => {
  const signals: AbortSignal[] = []
  const { host, start } = engine([routed(() => (_request, response) => response.end())])
  const routes = host.routes.bind(host)
  host.routes = (mounted) => {
    signals.push(mounted.ended)
    return routes(mounted)
  }
  const live = await start(one())
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  await live.stop()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

test('routes are mounted once, by a live flow, with paths that begin with a slash, and not in a flow named state', async () => {
  const twice = type('twice', (ctx) => {
    ctx.routes(() => {})
    ctx.routes(() => {})
    return {}
  })
  const open = type('open', (ctx) => {
    ctx.routes(() => {}, { open: ['/fine', 'picture'] })
    return {}
  })
  const { start } = engine([routed(() => () => {}), twice, open])
  const refusal = (id: string, name = 'f') =>
    start(flow([{ id: 'n', type: id }], { name })).then(
      () => null,
      (error: StartError) => error.message,
    )
  expect(await refusal('twice')).toBe('the node has mounted its routes already; mount one handler for all of them')
  expect(await refusal('open')).toBe('"picture" is no path below the node; open "/picture"')
  expect(await refusal('routed', 'state')).toBe(
    'a flow named "state" has no addresses for routes; give the flow another name',
  )
  expect(await refusal('routed', 'stated')).toBeNull()
  const { outcome } = run(batch([{ id: 'n', type: 'routed' }]), { types: [routed(() => () => {})] })
  expect(await outcome).toMatchObject({ error: { message: 'a run answers no requests; mount routes in a live flow' } })
})

test('a connector whose start takes the web application mounts its routes there [R397]', async () => {
  class Panel extends Connector {
    static readonly contract = 1
    override async start(app?: Router) {
      app?.get('/state', (_request, response) => void response.end(`state of ${this.ctx.node}`))
      await super.start(app)
    }
  }
  const { host, start } = engine([nodeTypeOf('panel', Panel)])
  const live = await start(flow([{ id: 'hall', type: 'panel', ports: [output('y')] }]))
  expect(await ask(host, 'panel/f/hall', '/state')).toBe('state of hall')
  expect(await ask(host, 'panel/f/hall', '/other')).toContain('has nothing at /other')
  await live.stop()
  expect(await ask(host, 'panel/f/hall', '/state')).toContain('there is no')
})
