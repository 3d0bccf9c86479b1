/**
 * Whatever a service answers, against the description of its API: what an interface in a browser could do, anybody can
 * do who has read the description.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Router } from 'express'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

import { apiDocument } from '../src/api.ts'
import { createService, type Service } from '../src/service.ts'

/** Routes beside the description: probes, and the pages that show the description. */
const besideTheApi = [
  '/healthz',
  '/metrics',
  '/api/v1/openapi.json',
  '/docs',
  '/docs/start.js',
  '/redoc',
  '/redoc/start.js',
  '/reset-password',
]
/** Places where every path below is answered by one function: webhooks of flows, routes of nodes, files of pages. */
const answering = [
  '/hooks hook',
  '/api/v1/hooks hook',
  '/api/v1/connectors',
  '/docs/assets serveStatic',
  '/redoc/assets serveStatic',
  '/console serveConsole',
]
/** Functions that requests pass through, or that refuse what nothing has answered. */
const passing = [
  ...['/api/v1', '/docs', '/redoc', '/healthz', '/metrics', '/reset-password', '/console', ''].map(
    (place) => `${place} secureHeaders`,
  ),
  // requests that name two hosts; webhooks look at that themselves, wherever they are mounted
  ...['/api/v1', '/docs', '/redoc', '/healthz', '/metrics', '/reset-password', '/console', ''].map(
    (place) => `${place} oneHost`,
  ),
  // requests from pages of other sites
  '/api/v1',
  // who may see the reference pages
  '/docs/assets',
  '/redoc/assets',
  // a known path with another method
  '/api/v1',
  '/api/v1',
  '/api/v1 notFound',
  ' notFound',
  // an engine that cannot go on, as webhooks do too
  '/api/v1 refusesWhenFailed',
  ' explainsFailed',
  // errors as problem documents
  '',
  '',
  // hosts that are not Express
  '',
]
/** The event socket, whose tickets are a described operation, and the sockets that flows serve. */
const sockets = ['/api/v1/flows/ws', '/api/v1/workers/attach', '/hooks/*', '/api/v1/hooks/*']

const upgrades = vi.hoisted(() => [] as string[])
vi.mock(import('../src/http/upgrade.ts'), async (original) => {
  const actual = await original()
  return {
    ...actual,
    createUpgradeRouter(options) {
      const router = actual.createUpgradeRouter(options)
      return {
        ...router,
        route(path, handler) {
          upgrades.push(path)
          router.route(path, handler)
        },
      }
    },
  }
})

type Handler = ((...args: never[]) => unknown) & { readonly stack?: unknown }
interface Told<A extends unknown[]> {
  readonly mock: { readonly calls: readonly A[]; readonly contexts: readonly unknown[] }
}
type Path = string | readonly string[]

const told = {
  uses: vi.spyOn(Router.prototype, 'use') as unknown as Told<(Path | Handler)[]>,
  routes: vi.spyOn(Router.prototype, 'route') as unknown as Told<[Path]>,
}

interface Mounted {
  /** Paths as the description spells them. */
  readonly routes: string[]
  /** Place and name of each function. */
  readonly functions: string[]
}

/** What routers were told, from one router on, below a path. */
function walk(router: unknown, below: string, mounted: Mounted): Mounted {
  const callsTo = <A extends unknown[]>({ mock }: Told<A>) => mock.calls.filter((_, at) => mock.contexts[at] === router)
  const placesOf = (path: Path) => [path].flat().map((each) => (below + each).replace(/\/$/, ''))
  for (const [path] of callsTo(told.routes))
    mounted.routes.push(...placesOf(path).map((place) => place.replaceAll(/:(\w+)/g, '{$1}')))
  for (const [first, ...rest] of callsTo(told.uses)) {
    const places = typeof first === 'function' ? [below] : placesOf(first ?? '')
    for (const handler of [first, ...rest].filter((each) => typeof each === 'function')) {
      for (const place of places) {
        if (handler.stack) walk(handler, place, mounted)
        else mounted.functions.push(`${place} ${handler.name}`.trimEnd())
      }
    }
  }
  return mounted
}

/** The routers that no other one has: that of the server. */
function roots(): unknown[] {
  const inner = new Set<unknown>(told.uses.mock.calls.flat())
  return [...new Set(told.uses.mock.contexts)].filter((router) => !inner.has(router))
}

const described = Object.entries(apiDocument().paths ?? {}).map(([path, item]) => {
  const methods = Object.keys(item ?? {}).map((method) => method.toUpperCase())
  return {
    path: `/api/v1${path}`.replace(/\/$/, ''),
    methods: methods.flatMap((m) => (m === 'GET' ? [m, 'HEAD'] : [m])),
  }
})
const sampleOf = (path: string): string => path.replaceAll(/\{\w+\}/g, 'x')
const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].toSorted()

let dataDir: string
let service: Service
let origin: string
let mounted: Mounted
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mounted-'))
  service = await createService({ dataDir, environment: 'local', port: 0, logLevel: 'silent' })
  origin = (await service.listen()).origin
  mounted = { routes: [], functions: [] }
  for (const root of roots()) walk(root, '', mounted)
})
afterAll(async () => {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
})

test('every path that the service answers is described, or one of a few by name [R014]', () => {
  expect(mounted.routes.length).toBeGreaterThan(60)
  expect(sorted(mounted.routes)).toEqual(sorted([...described.map(({ path }) => path), ...besideTheApi]))
})

test('nothing else answers below a path but webhooks, routes of nodes and the files of the reference pages [R014]', () => {
  expect(mounted.functions.toSorted()).toEqual([...answering, ...passing].toSorted())
})

test('a described path takes the described methods and no other [R014]', async () => {
  for (const { path } of described) {
    const sample = sampleOf(path)
    const known = described.filter((each) => patternOf(each.path).test(sample)).flatMap(({ methods }) => methods)
    // a method of HTTP that nothing here takes: the refusal names those that are
    const { status, headers } = await fetch(origin + sample, { method: 'PROPFIND' })
    expect([path, status, sorted(headers.get('allow')?.split(', ') ?? [])]).toEqual([path, 405, sorted(known)])
  }
})

test('no socket opens but that of events, of workers, and those that flows serve [R014]', () => {
  expect(upgrades.toSorted()).toEqual(sockets.toSorted())
})

test('the pages that are served load what is theirs, and ask for the description alone [R014]', async () => {
  const get = (path: string) => fetch(origin + path)
  const answers = await Promise.all(besideTheApi.map(async (path) => ({ path, answer: await get(path) })))
  const pages = answers.filter(({ answer }) => answer.headers.get('content-type')?.startsWith('text/html'))
  expect(pages.map(({ path }) => path)).toEqual(['/docs', '/redoc', '/reset-password'])
  const [reset] = pages.splice(2)
  expect(await reset?.answer.text()).not.toMatch(/\b(?:src|href|action)=/)
  for (const { path, answer } of pages) {
    const html = await answer.text()
    const loaded = [...html.matchAll(/(?:src|href|action)="([^"]+)"/g)].map(([, address = '']) => address)
    expect(loaded).toContain(`${path}/start.js`)
    expect(
      loaded.filter((address) => address !== `${path}/start.js` && !address.startsWith(`${path}/assets/`)),
    ).toEqual([])
    const start = await (await get(`${path}/start.js`)).text()
    expect(start.match(/["'`][^"'`]*\/[^"'`]*["'`]/g)).toEqual(['"/api/v1/openapi.json"'])
    expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'.*connect-src 'self'/)
  }
  // a page among the files of a package may load nothing, and so calls nothing
  const stray = await get('/docs/assets/index.html')
  expect(stray.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
})
