/** How asking a chat model ends: in time, at a signal, and with nothing left behind. */
import { expect, test, vi } from 'vitest'

import { context, useChatModel } from './chat-model.ts'

const { server, modelWith, failure } = useChatModel()

test('a model that takes its time is given up after 10 s, also when its requests hear nothing of that', async () => {
  vi.useFakeTimers()
  try {
    const signals: AbortSignal[] = []
    const failed = failure({
      fetch: (_url, { signal }) => {
        if (signal) signals.push(signal)
        return new Promise(() => {})
      },
    })
    let isOver = false
    void failed.then(() => (isOver = true))
    await vi.advanceTimersByTimeAsync(9999)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const { name, message } = await failed
    expect([name, message]).toEqual(['timeout', `the model at ${server().origin} gave no answer within 10 s`])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a body that trickles counts as no answer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const [began, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    server().does((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{', () => began.resolve())
      response.on('close', () => ended.resolve())
    })
    const failed = failure()
    await began.promise
    vi.advanceTimersByTime(10_000)
    expect((await failed).name).toBe('timeout')
    await ended.promise
  } finally {
    vi.useRealTimers()
  }
})

test('a signal ends the request with its own reason, and one that has gone off lets none out', async () => {
  const began = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  server().does((response) => {
    began.resolve()
    response.on('close', () => ended.resolve())
  })
  const stop = new AbortController()
  const asked = modelWith().interpret('lights off', context, stop.signal)
  await began.promise
  const reason = new Error('the node stops')
  stop.abort(reason)
  await expect(asked).rejects.toBe(reason)
  await ended.promise
  server().asked.splice(0)
  await expect(modelWith().interpret('lights off', context, stop.signal)).rejects.toBe(reason)
  expect(server().asked).toEqual([])
})

test('an answer leaves no timer and no listener behind', async () => {
  server().says({ calls: [] })
  const { signal } = new AbortController()
  const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
  await modelWith().interpret('lights off', context, signal)
  expect(removed.mock.calls).toHaveLength(added.mock.calls.length)
})
