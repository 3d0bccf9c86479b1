import { type AlertConfig, alertEvents } from '@flow-service/protocol'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

import { startService, type TestService } from '../observability/service.ts'
import { openSink } from './sink.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
  await at.root('PUT', '/secrets/hook_token', { value: 'Bearer a-value-that-nobody-sees' })
})
afterAll(() => at[Symbol.asyncDispose]())
afterEach(() => at.root('PUT', '/alerts/config', {}))

const defaults = {
  enabled: false,
  min_interval_s: 300,
  events: alertEvents,
  channels: {
    webhook: { enabled: false, url: null, headers: {} },
    push: { enabled: false, server: 'https://ntfy.sh', topic: null, token: null },
    email: { enabled: false, to: [] },
  },
}
const ref = { $secret: 'hook_token' }
const audited = async () =>
  (await at.root<{ action: string }[]>('GET', '/observability/events?kind=audit&limit=500')).value.filter(
    ({ action }) => action === 'alerts.put',
  )

test('the configuration is read and replaced as a whole: what is left out has its default [R154, R559]', async () => {
  expect((await at.ann('GET', '/alerts/config')).value).toEqual(defaults)
  const webhook = {
    enabled: true,
    url: 'https://hooks.example/x?id=1',
    headers: { authorization: ref, 'x-from': 'me' },
  }
  const given = { enabled: true, min_interval_s: 0, events: ['worker_lost', 'flow_failed'], channels: { webhook } }
  const put = await at.root<AlertConfig>('PUT', '/alerts/config', given)
  const whole = { ...given, events: ['flow_failed', 'worker_lost'], channels: { ...defaults.channels, webhook } }
  expect([put.status, put.value]).toEqual([200, whole])
  expect((await at.ann('GET', '/alerts/config')).value).toEqual(whole)
  expect((await at.root('PUT', '/alerts/config', { min_interval_s: 60 })).value).toEqual({
    ...defaults,
    min_interval_s: 60,
  })
  expect((await audited()).slice(0, 2)).toMatchObject([
    { action: 'alerts.put', actor: { email: 'root@example.org' }, detail: { enabled: false, channels: [] } },
    { action: 'alerts.put', detail: { enabled: true, events: whole.events, channels: ['webhook'] } },
  ])
})

test.each([
  [{ colour: 'red' }, '/colour', 'is not known here'],
  [{ events: ['rain'] }, '/events/0', '"rain" is not one of flow_failed'],
  [{ min_interval_s: -1 }, '/min_interval_s', 'at least 0'],
  [{ channels: { phone: {} } }, '/channels/phone', 'is not known here'],
  [{ channels: { webhook: { enabled: true } } }, '/channels/webhook/url', 'give it an address'],
  [{ channels: { webhook: { url: 'ftp://x' } } }, '/channels/webhook/url', 'use a full http:// or https:// URL'],
  [{ channels: { webhook: { url: 'https://me:pass@x' } } }, '/channels/webhook/url', 'user name or password'],
  [{ channels: { webhook: { headers: { 'a b': 'x' } } } }, '/channels/webhook/headers/a b', 'no header name'],
  [{ channels: { webhook: { headers: { a: 'x\ny' } } } }, '/channels/webhook/headers/a', 'line break'],
  [
    { channels: { webhook: { headers: { Authorization: 'Bearer plain' } } } },
    '/channels/webhook/headers/Authorization',
    'store it as a secret',
  ],
  [
    { channels: { webhook: { headers: { 'x-key': { $secret: 'none' } } } } },
    '/channels/webhook/headers/x-key',
    'there is no secret "none"; store it first',
  ],
  [{ channels: { push: { enabled: true } } }, '/channels/push/topic', 'give it the topic'],
  [{ channels: { push: { token: 'plain' } } }, '/channels/push/token', 'a reference such as {"$secret": "name"}'],
  [{ channels: { push: { token: { $secret: 'none' } } } }, '/channels/push/token', 'there is no secret "none"'],
  [{ channels: { push: { server: 'ntfy' } } }, '/channels/push/server', 'use a full http:// or https:// URL'],
  [{ channels: { email: { enabled: true } } }, '/channels/email/to', 'give it the addresses'],
  [{ channels: { email: { to: ['nobody'] } } }, '/channels/email/to/0', 'an e-mail address'],
])('%j is refused at %s', async (body, path, message) => {
  const { status, problem } = await at.root('PUT', '/alerts/config', body)
  expect([status, problem.code]).toEqual([422, 'validation_failed'])
  expect(problem.errors).toContainEqual(expect.objectContaining({ path, message: expect.stringContaining(message) }))
  expect((await at.ann('GET', '/alerts/config')).value).toEqual(defaults)
})

test('a secret that a channel refers to is listed as used and cannot be deleted; no answer holds its value [T103]', async () => {
  await at.root('PUT', '/secrets/path', { value: 'a-path-that-nobody-sees' })
  await at.root('PUT', '/alerts/config', {
    channels: { push: { token: ref }, webhook: { url: 'https://x/a-path-that-nobody-sees', headers: { a: ref } } },
  })
  expect((await at.ann('GET', '/alerts/config')).text).not.toContain('that-nobody-sees')
  const uses = ['the channel "webhook" of alerts', 'the channel "push" of alerts']
  const { value } = await at.ann<{ name: string }[]>('GET', '/secrets/usage')
  expect(value).toMatchObject([
    { name: 'hook_token', used_by: [], others: uses },
    { name: 'path', others: [] },
  ])
  const kept = await at.root('DELETE', '/secrets/hook_token')
  expect([kept.status, kept.problem.code]).toEqual([409, 'in_use'])
  expect(kept.problem.detail).toContain(uses.join(', '))
})

test('a channel is tested whether it is enabled or not; one that does not know where to send is refused [R560]', async () => {
  await using sink = await openSink()
  const unset = await at.root('POST', '/alerts/test/webhook')
  expect([unset.status, unset.problem.code]).toEqual([400, 'channel_not_configured'])
  const unknown = await at.root('POST', '/alerts/test/phone')
  expect([unknown.status, unknown.problem.code]).toEqual([404, 'not_found'])
  expect(unknown.problem.detail).toContain('webhook, push, email')
  expect((await at.ann('POST', '/alerts/test/webhook')).status).toBe(403)

  await at.root('PUT', '/alerts/config', {
    channels: {
      webhook: { url: `${sink.url}/hook?from=here`, headers: { authorization: ref, 'x-from': 'here' } },
      push: { server: `${sink.url}/push`, topic: 'hall', token: ref },
    },
  })
  expect(await at.root('POST', '/alerts/test/webhook')).toMatchObject({
    status: 200,
    value: { channel: 'webhook', ok: true, detail: null },
  })
  expect((await at.root('POST', '/alerts/test/push')).value).toEqual({ channel: 'push', ok: true, detail: null })
  const authorization = 'Bearer a-value-that-nobody-sees'
  expect(sink.seen).toMatchObject([
    {
      path: '/hook?from=here',
      headers: { 'content-type': 'application/json', authorization, 'x-from': 'here' },
      body: { event: 'test', severity: 'info', flow: null, node: null, run: null, count: 1 },
    },
    {
      path: '/push',
      headers: { authorization: `Bearer ${authorization}` },
      body: { topic: 'hall', title: 'a test of this channel', priority: 2, tags: ['test'] },
    },
  ])
})

test('a test that the other side refuses says why, without path, header or secret [T103]', async () => {
  await using sink = await openSink((response) => void response.writeHead(403, 'No entry').end('a reason'))
  const channels = { webhook: { url: `${sink.url}/path-token?key=query-token`, headers: { authorization: ref } } }
  const tested = async () => {
    await at.root('PUT', '/alerts/config', { channels })
    return (await at.root<{ ok: boolean; detail: string }>('POST', '/alerts/test/webhook')).value
  }
  expect(await tested()).toEqual({ channel: 'webhook', ok: false, detail: `${sink.url} answered 403 No entry` })
  sink.answers((response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end())
  const { ok, detail } = await tested()
  expect([ok, detail]).toEqual([false, `${sink.url} answered 302 Found; redirects are not followed`])
  channels.webhook.url = 'http://127.0.0.1:1/path-token'
  expect((await tested()).detail).toMatch(/^http:\/\/127\.0\.0\.1:1 could not be reached: .*ECONNREFUSED/)
  // the engine’s own metadata service is refused everywhere
  channels.webhook.url = 'http://169.254.169.254/latest'
  expect((await tested()).detail).toContain('may not connect to 169.254.169.254')
})

test('in production internal addresses are refused, and nobody there hears anything [T103]', async () => {
  await using sink = await openSink()
  await using guarded = await startService({ environment: 'production' })
  await guarded.root('PUT', '/alerts/config', {
    channels: { webhook: { url: sink.url }, push: { server: sink.url, topic: 'x' } },
  })
  for (const channel of ['webhook', 'push']) {
    const { status, value } = await guarded.root('POST', `/alerts/test/${channel}`)
    expect([status, value.ok, value.detail]).toEqual([
      200,
      false,
      expect.stringContaining('may not connect to 127.0.0.1'),
    ])
  }
  expect(sink.seen).toEqual([])
})
