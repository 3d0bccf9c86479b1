import type { HookRoute } from '@flow-service/connector-sdk'
import { VirtualClock } from '@flow-service/core/testing'
import { expect, onTestFinished, test, vi } from 'vitest'

import { createHooks, leased } from '../../src/hooks/hooks.ts'

const route = (path: string, secret: string | null = null): HookRoute => ({ path, secret, methods: ['POST'] })
const ignore = (): void => undefined

function found(routePath: string, secret: string | null, requests: readonly string[]): string[] {
  const hooks = createHooks()
  hooks.register('f', route(routePath, secret), ignore).open()
  return requests.filter((request) => hooks.find(request) !== undefined)
}

test('a route without a secret is its flow and path, with or without slashes around it', () => {
  expect(found('in', null, ['/f/in', '/f/in/', '/f/in/x', '/f/in//', '/g/in', '/f', '/', ''])).toEqual([
    '/f/in',
    '/f/in/',
  ])
  expect(found('/in/', null, ['/f/in'])).toEqual(['/f/in'])
})

test('a route with a secret needs it as its last segment', () => {
  const requests = ['/f/in', '/f/in/', '/f/in/s', '/f/in/S', '/f/in/s/', '/f/in/ss', '/f/in/s/s', '/f/s']
  expect(found('in', 's', requests)).toEqual(['/f/in/s', '/f/in/s/'])
})

test('a secret may hold any character when it is escaped', () => {
  expect(found('in', 'a/b c\n', ['/f/in/a%2Fb%20c%0A', '/f/in/a/b%20c%0A'])).toEqual(['/f/in/a%2Fb%20c%0A'])
})

test('a path of several segments matches segment by segment', () => {
  const requests = [
    '/f/a/b',
    '/f/a%2Fb',
    '/f/a%0Ab',
    '/f/a%2fb/',
    '/f%2Fa/b',
    '/f/%61/b',
    '/f/a/%62',
    '/f/a//b',
    '/f//a/b',
  ]
  expect(found('a/b', null, requests)).toEqual(['/f/a/b', '/f/%61/b', '/f/a/%62'])
})

test('an escaped separator in a one-segment path is not a path of two', () => {
  expect(found('b', 's', ['/f/b%2Fs', '/f/b/s', '/f%2Fb/s'])).toEqual(['/f/b/s'])
})

test('a broken escape matches nothing', () => {
  expect(found('in', null, ['/f/in%', '/f/%zz/in', '/f/%c3/in', '/f/in/%'])).toEqual([])
})

test.each(['.', '..', 'a/../b', '../../api/v1/flows', 'a//b', './x', '\ud800'])(
  'a path that no URL can name is refused when it is mounted: %j',
  (path) => {
    expect(() => createHooks().register('f', route(path), ignore)).toThrow('no URL can name the path')
  },
)

test('the same path twice in a flow is refused, in two flows it is not', () => {
  const hooks = createHooks()
  hooks.register('f', route('in', 'one'), ignore).open()
  hooks.register('g', route('in'), ignore).open()
  expect(() => hooks.register('f', route('/in', 'two'), ignore)).toThrow('flow "f" has two webhooks at "/in"')
})

test('an unmounted route is unknown and can be mounted again', () => {
  const hooks = createHooks()
  const mount = hooks.register('f', route('in'), ignore)
  mount.open()
  mount.unmount()
  expect(hooks.find('/f/in')).toBeUndefined()
  hooks.register('f', route('in'), ignore).open()
  mount.unmount()
  expect(hooks.find('/f/in')).toBeDefined()
})

test('a longer open path beside a secret does not open the shorter one', () => {
  const hooks = createHooks()
  hooks.register('f', route('a', 'secret'), ignore).open()
  hooks.register('f', { ...route('a/b'), methods: ['GET'] }, ignore).open()
  expect(hooks.find('/f/a/b')?.methods).toEqual(['GET'])
  expect(hooks.find('/f/a/secret')?.methods).toEqual(['POST'])
  expect(hooks.find('/f/a')).toBeUndefined()
})

test('what is not open yet, or leaves, is waited for; who takes its place is found', async () => {
  const hooks = createHooks()
  const first = hooks.register('f', route('in', 'one'), ignore)
  const early = hooks.found('/f/in/one')
  expect(hooks.find('/f/in/one')).toBeUndefined()
  first.open()
  expect(await early).toMatchObject({ handler: ignore })

  first.hold()
  const late = hooks.found('/f/in/one')
  const other = () => {}
  const second = hooks.register('f', route('in', 'one'), other)
  first.unmount()
  expect(hooks.find('/f/in/one')).toBeUndefined()
  second.open()
  expect(await late).toMatchObject({ handler: other })
})

test('a route that nobody takes over, or with another secret, is unknown to who has waited', async () => {
  const hooks = createHooks()
  const first = hooks.register('f', route('in', 'one'), ignore)
  const gone = hooks.found('/f/in/one')
  first.unmount()
  expect(await gone).toBeUndefined()

  const old = hooks.register('f', route('in', 'one'), ignore)
  old.open()
  old.hold()
  const waiting = hooks.found('/f/in/one')
  hooks.register('f', route('in', 'two'), ignore).open()
  expect([await waiting, hooks.find('/f/in/two')?.handler]).toEqual([undefined, ignore])
})

test('only a route that leaves makes way for another', () => {
  const hooks = createHooks()
  const first = hooks.register('f', route('in'), ignore)
  const again = () => hooks.register('f', route('in'), ignore)
  expect(again).toThrow('two webhooks')
  first.open()
  expect(again).toThrow('two webhooks')
  first.hold()
  again()
  expect(again).toThrow('two webhooks')
})

test('a request that has waited 15 s is refused, and may come again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const hooks = createHooks()
  hooks.register('f', route('in'), ignore)
  const refused = hooks.found('/f/in').catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await refused).toMatchObject({ code: 'unavailable', extensions: { retry_after_s: 1 } })
})

test('while the engine may have lost the flow a request waits, 5 s at most, and nothing is taken of one that has waited in vain', async () => {
  const clock = new VirtualClock(0)
  const back = Promise.withResolvers<void>()
  let holds = true
  const taken: unknown[] = []
  const handler = leased(({ query }) => void taken.push(query), {
    clock,
    lease: { holds: () => holds, held: () => back.promise },
  })
  const ask = (n: number) =>
    handler({ method: 'GET', mediaType: '', query: { n: String(n) }, body: new Uint8Array() }) ?? Promise.resolve()
  await ask(1)
  holds = false
  const late = ask(2)
  const [refused] = await Promise.all([late.catch((error: unknown) => error), clock.advance(5_000)])
  expect(refused).toMatchObject({ code: 'unavailable', extensions: { retry_after_s: 1 } })
  const early = ask(3)
  await clock.advance(4_000)
  holds = true
  back.resolve()
  await early
  await clock.advance(5_000)
  expect(taken).toEqual([{ n: '1' }, { n: '3' }])
})
