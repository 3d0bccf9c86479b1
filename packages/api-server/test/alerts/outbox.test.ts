import { VirtualClock } from '@flow-service/core/testing'
import { alertConfigSchema } from '@flow-service/protocol'
import { afterEach, describe, expect, test, vi } from 'vitest'

import { alertOf, messageOf } from '../../src/alerts/alert.ts'
import { Outbox } from '../../src/alerts/outbox.ts'
import type { NewsEntry } from '../../src/events/event-log.ts'
import { Redactor } from '../../src/secrets/redactor.ts'

afterEach(() => void vi.useRealTimers())

/** An outbox whose channels do what `send` says. */
function open(send: (title: string, signal: AbortSignal) => Promise<void>) {
  const clock = new VirtualClock(0)
  const told: NewsEntry[] = []
  const sent: { title: string; atMs: number }[] = []
  const redactor = new Redactor()
  redactor.set(['a value that nobody sees'])
  const outbox = new Outbox({
    channels: {
      isConfigured: () => true,
      send(_channel, { title }, _config, signal) {
        sent.push({ title, atMs: clock.now() })
        return send(title, signal)
      },
    },
    config: () => alertConfigSchema.parse({}),
    clock,
    eventLog: { report: (entry) => void told.push(entry) },
    redactor,
  })
  const post = (flow: string, detail: string | null = null): void =>
    outbox.post('webhook', messageOf(alertOf({ event: 'flow_failed', subject: flow, flow, detail, atMs: 0 }), 1))
  return { clock, told, sent, outbox, post, actions: () => told.map(({ action }) => action) }
}
const refuse = async () => Promise.reject(new Error('it says "a value that nobody sees"'))
const hang = (): Promise<void> => new Promise(() => {})

describe('a message', () => {
  test('that is taken is an event of what was told', async () => {
    const { clock, told, post } = open(async () => {})
    post('porch')
    await clock.advance(0)
    expect(told).toEqual([
      {
        kind: 'alert',
        level: 'info',
        action: 'alert.sent',
        flow: 'porch',
        node: null,
        detail: {
          channel: 'webhook',
          event: 'flow_failed',
          title: 'flow "porch" has failed',
          run: null,
          count: 1,
          attempts: 1,
        },
      },
    ])
  })

  test('that is refused is tried three times within a minute, then told as failed, without secrets [T103]', async () => {
    const { clock, told, sent, post } = open(refuse)
    post('porch')
    await clock.advance(60_000)
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 8_000, 28_000])
    expect(told).toMatchObject([
      { kind: 'alert', level: 'error', action: 'alert.failed', detail: { attempts: 3, error: 'it says "***"' } },
    ])
    expect(clock.pending).toBe(0)
  })

  test('that is refused once is sent by the second attempt', async () => {
    let isFirst = true
    const { clock, told, post } = open(async () => {
      if (isFirst) {
        isFirst = false
        throw new Error('not now')
      }
    })
    post('porch')
    await clock.advance(60_000)
    expect(told).toMatchObject([{ action: 'alert.sent', detail: { attempts: 2 } }])
  })

  test('to a channel that hangs is cut off after ten seconds, whether it heeds the signal or not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const signals: AbortSignal[] = []
    const { clock, told, post, sent } = open((_title, signal) => {
      signals.push(signal)
      return hang()
    })
    post('porch')
    for (const pauseMs of [8_000, 20_000, 0]) {
      await vi.advanceTimersByTimeAsync(10_000)
      await clock.advance(pauseMs)
    }
    expect([sent.length, signals.every(({ aborted }) => aborted)]).toEqual([3, true])
    expect(told).toMatchObject([{ action: 'alert.failed', detail: { error: 'it took more than 10 s' } }])
  })
})

test('four are sent at once, two hundred wait, and more are dropped and counted', async () => {
  const waiting: (() => void)[] = []
  const { clock, sent, post, told, actions } = open(() => new Promise((resolve) => waiting.push(resolve)))
  for (let index = 0; index < 300; index++) post(`flow${index}`)
  await clock.advance(0)
  expect(sent).toHaveLength(4)
  while (waiting.length > 0) {
    for (const end of waiting.splice(0)) end()
    await clock.advance(0)
    expect(waiting.length).toBeLessThanOrEqual(4)
  }
  expect(sent).toHaveLength(204)
  expect(told.filter(({ action }) => action === 'alert.dropped')).toMatchObject([{ detail: { dropped: 96 } }])
  expect(actions().filter((action) => action === 'alert.sent')).toHaveLength(204)
})

test('what is under way when the engine stops has failed, and nothing is sent afterwards', async () => {
  const { clock, told, sent, outbox, post } = open(hang)
  for (let index = 0; index < 6; index++) post(`flow${index}`)
  await clock.advance(0)
  await outbox.close()
  post('late')
  expect(sent).toHaveLength(4)
  expect(told.map(({ action, detail }) => [action, detail?.error])).toEqual(
    Array.from({ length: 6 }, () => ['alert.failed', 'the engine stopped']),
  )
  expect(clock.pending).toBe(0)
})

test('a message holds no value of a secret [T103]', async () => {
  const { clock, told, post } = open(async () => {})
  post('a value that nobody sees', 'it was "a value that nobody sees"')
  await clock.advance(0)
  expect(JSON.stringify(told)).not.toContain('nobody sees')
})
