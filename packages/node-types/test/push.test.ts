import { pushNode } from '@flow-service/node-types'
import { afterEach, describe, expect, test } from 'vitest'

import { Servers } from './servers.ts'
import { codes, findings, Rig } from './test-kit.ts'

const servers = new Servers()
afterEach(() => servers.close())

const accepting = () => servers.serve((_, response) => void response.end('{"id":"1"}'))
const pusher = (server: string, settings: Record<string, unknown> = {}) =>
  Rig.start(pushNode, { settings: { topic: 'hall', server, ...settings }, inputs: { value: 'any' } })

/** The notification that a value becomes. */
const notificationOf = async (value: unknown, settings: Record<string, unknown> = {}): Promise<unknown> => {
  const { url, seen } = await accepting()
  await (await pusher(url, settings)).arrive({ value })
  return JSON.parse(seen[0]?.body ?? '')
}

describe('push', () => {
  test('posts each value as a notification, with the token as a bearer [R231] [R237]', async () => {
    const { url, seen } = await accepting()
    const rig = await pusher(`${url}/push`, { token: 'tk_secret', title: 'Hall', tags: 'a, b ,,c', priority: 'high' })
    await rig.arrive({ value: 'too warm' })
    await rig.arrive({ value: 31.5 })
    expect(seen).toMatchObject([
      { method: 'POST', path: '/push', query: {}, headers: { authorization: 'Bearer tk_secret' } },
      { method: 'POST' },
    ])
    expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { topic: 'hall', message: 'too warm', title: 'Hall', priority: 4, tags: ['a', 'b', 'c'] },
      { topic: 'hall', message: '31.5', title: 'Hall', priority: 4, tags: ['a', 'b', 'c'] },
    ])
    expect(rig.emitted).toEqual([])
  })

  test('sends no title, tags or token unless they are set [R234] [R236] [R237]', async () => {
    const { url, seen } = await accepting()
    const rig = await pusher(url)
    await rig.arrive({ value: 'x' })
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ topic: 'hall', message: 'x', priority: 3 })
    expect(seen[0]?.headers.authorization).toBeUndefined()
  })

  test.each([
    ['min', 1],
    ['low', 2],
    ['default', 3],
    ['high', 4],
    ['urgent', 5],
  ])('sends priority %s as %d [R235]', async (priority, level) => {
    expect(await notificationOf('x', { priority })).toMatchObject({ priority: level })
  })

  test.each([
    [{ state: 'open', n: 1 }, { message: '{"state":"open","n":1}' }],
    [[1, 'a'], { message: '[1,"a"]' }],
    [null, { message: 'null' }],
    [{ message: 5 }, { message: '{"message":5}' }],
    [
      { message: 'door', title: 'Own', priority: 'urgent', tags: ['x', 'y'] },
      { message: 'door', title: 'Own', priority: 5, tags: ['x', 'y'] },
    ],
    [
      { message: 'door', priority: 2, tags: 'p,q', other: 1 },
      { message: 'door', title: 'Set', priority: 2, tags: ['p', 'q'] },
    ],
    [{ message: 'door', title: '' }, { message: 'door' }],
  ])('makes of %j the notification %j', async (value, expected) => {
    const sent = await notificationOf(value, { title: 'Set', tags: 's' })
    expect(sent).toMatchObject(expected)
    if (Reflect.get(Object(value), 'title') === '') expect(sent).not.toHaveProperty('title')
  })

  test.each([
    [{ message: 'x', priority: 'max' }, 'the priority of a notification is one of min'],
    [{ message: 'x', priority: 6 }, 'which 6 is not'],
    [{ message: 'x', title: 5 }, 'the title of a notification'],
    [{ message: 'x', tags: [1] }, 'the tags of a notification'],
  ])('fails for %j, and sends nothing', async (value, message) => {
    const { url, seen } = await accepting()
    await expect((await pusher(url)).arrive({ value })).rejects.toThrow(message)
    expect(seen).toEqual([])
  })

  test.each([400, 401, 403, 404, 429, 500, 301, 303])(
    'fails on status %d, in words without the token',
    async (status) => {
      const { url, seen } = await servers.serve(
        (_, response) => void response.writeHead(status, { location: '/elsewhere' }).end('tk_secret is wrong'),
      )
      const rig = await pusher(url, { token: 'tk_secret' })
      const failure = await rig.arrive({ value: 'x' }).catch((error: unknown) => error)
      expect(failure).toMatchObject({
        name: 'http_status',
        message: expect.stringContaining(`POST ${url}/ answered ${status}`),
      })
      expect(String(failure)).not.toContain('tk_secret')
      expect(seen).toHaveLength(1)
      expect(rig.timers).toBe(0)
    },
  )

  test('fails when no answer comes within the timeout, 10 s unless given [R238]', async () => {
    let rig: Rig | undefined
    const { url } = await servers.serve(() => void rig?.advance(10.1))
    rig = await pusher(url, { token: 'tk_secret' })
    const failure = await rig.arrive({ value: 'x' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'timeout', message: `POST ${url}/ gave no answer within 10 s` })
    expect(rig.timers).toBe(0)
  })

  test('ends its request when the node stops, and leaves no connection', async () => {
    let rig: Rig | undefined
    const { url } = await servers.serve(() => void rig?.stop())
    rig = await pusher(url)
    await expect(rig.arrive({ value: 'x' })).rejects.toMatchObject({ type: 'cancelled', message: 'the node stops' })
    expect(rig.timers).toBe(0)
    await expect.poll(() => servers.connections()).toBe(0)
  })

  test('fails in words without the token when the server cannot be reached [T103]', async () => {
    const rig = await pusher('http://127.0.0.1:1', { token: 'tk_secret' })
    const failure = await rig.arrive({ value: 'x' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'unreachable' })
    expect(String(failure)).not.toContain('tk_secret')
  })

  test('has defaults for everything but the topic [R232] [R233] [R234] [R235] [R236] [R237] [R238]', () => {
    expect(pushNode.settings.parse({ topic: 'hall' })).toEqual({
      server: 'https://ntfy.sh',
      topic: 'hall',
      title: null,
      priority: 'default',
      tags: null,
      token: null,
      timeout: 10,
    })
    expect(pushNode.settings.safeParse({}).error?.issues[0]?.path).toEqual(['topic'])
    expect(
      ['max', 'Default', 3].filter((priority) => pushNode.settings.safeParse({ topic: 'x', priority }).success),
    ).toEqual([])
  })

  test.each([
    'ntfy.sh',
    'ftp://host',
    'file:///etc/passwd',
    'http://user:pw@host/',
    'https://host/?auth=x',
    'https://h/#a',
  ])('refuses the server %s [T75]', (server) => {
    expect(findings(pushNode, { settings: { topic: 'x', server }, inputs: { value: 'any' } })).toMatchObject([
      { code: 'bad_setting', path: '/settings/server' },
    ])
  })

  test('has inputs, and is not repeated after a crash', () => {
    expect(codes(pushNode, { settings: { topic: 'x' } })).toEqual(['unsupported_ports'])
    expect(pushNode.ports).toEqual({ inputs: 'any', outputs: 'none' })
    expect(pushNode.idempotent).toBe(false)
  })
})
