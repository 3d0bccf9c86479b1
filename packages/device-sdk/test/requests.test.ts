/** Reports, pictures over HTTP, and pairing, where sessions do not reach. */
import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { type DeviceError, pair } from '../src/index.ts'
import { bound, Rig } from './fake-socket.ts'

/** An engine whose answers a test gives one by one. */
class Answers {
  readonly asked: string[] = []
  readonly #open: PromiseWithResolvers<Response>[] = []

  readonly fetch = ((url: string, { method, body }: { method: string; body: string | Uint8Array | null }) => {
    const { pathname, search } = new URL(url)
    const said = typeof body === 'string' ? ` ${body}` : ''
    this.asked.push(`${method} ${pathname.replace('/api/v1', '')}${search}${said}`)
    const open = Promise.withResolvers<Response>()
    this.#open.push(open)
    return open.promise
  }) as unknown as typeof fetch

  async give(status: number, value: unknown = {}): Promise<void> {
    const body = status === 204 ? null : JSON.stringify(value)
    this.#open.shift()?.resolve(new Response(body, { status }))
    await new Promise(setImmediate)
  }
}

test('a newer report takes the place of one that waits, and settles both [R551]', async () => {
  const answers = new Answers()
  const rig = new Rig({ fetch: answers.fetch })
  const stored = [rig.device.report({ at: 1 }), rig.device.report({ at: 2 })]
  rig.online()
  stored.push(rig.device.report({ at: 3 }))
  await answers.give(204)
  await answers.give(204)
  await Promise.all(stored)
  expect(answers.asked).toEqual(['PUT /devices/board/report {"at":2}', 'PUT /devices/board/report {"at":3}'])
})

test('a report that the engine cannot take now is sent again after a pause', async () => {
  const answers = new Answers()
  const rig = new Rig({ fetch: answers.fetch }).online()
  const stored = rig.device.report({})
  await answers.give(503)
  await rig.clock.advance(30_000)
  await answers.give(204)
  await stored
  expect(answers.asked).toHaveLength(2)
})

test('a report of more than 16,384 bytes is not sent [R552]', async () => {
  const answers = new Answers()
  const rig = new Rig({ fetch: answers.fetch }).online()
  const report = rig.device.report({ text: 'x'.repeat(16_384) })
  await expect(report).rejects.toMatchObject({ code: 'payload_too_large' })
  expect(answers.asked).toEqual([])
})

test('through the portal a picture waits for none before it, and what is refused is told [R663]', async () => {
  const answers = new Answers()
  const bindings = [bound('camera', 'in')]
  const rig = new Rig({ fetch: answers.fetch }).online({ uplink: 'http', bindings })
  const send = () => rig.device.frame('camera', Uint8Array.of(1, 2), 'image/jpeg')
  expect([send(), send()]).toEqual([true, false])
  await answers.give(403, { code: 'forbidden', detail: 'not yours' })
  expect((rig.errors as DeviceError[]).map(({ code }) => code)).toEqual(['forbidden'])
  expect(send()).toBe(true)
  await answers.give(201, { $artifact: 'sha256:1' })
  await answers.give(200)
  expect(answers.asked.slice(1)).toEqual([
    'PUT /artifacts?volatile=true&name=f.camera',
    'POST /messages/f.camera {"value":{"$artifact":"sha256:1"}}',
  ])
})

test('pairing ends by its signal, with the reason of it', async () => {
  const clock = new VirtualClock(0)
  const answers = new Answers()
  const end = new AbortController()
  const shown: string[] = []
  const onCode = (code: string, check: string) => shown.push(code, check)
  const paired = pair({ url: 'http://hub', onCode, clock, fetch: answers.fetch, signal: end.signal })
  await answers.give(201, { code: 'ABCDEFGH', secret: 's', check: 'XY' })
  end.abort(new Error('enough'))
  await expect(paired).rejects.toThrow('enough')
  expect([shown, clock.pending]).toEqual([['ABCDEFGH', 'XY'], 0])
  const late = pair({ url: 'http://hub', onCode, clock, fetch: answers.fetch, signal: end.signal })
  await expect(late).rejects.toThrow('enough')
})

test('an engine that accepts a request and answers nothing is asked again', async () => {
  const clock = new VirtualClock(0)
  let asked = 0
  const silent = ((_url: string, { signal }: { signal: AbortSignal }) => {
    asked++
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))))
  }) as unknown as typeof fetch
  const end = new AbortController()
  const paired = pair({ url: 'http://hub', onCode: () => {}, clock, fetch: silent, signal: end.signal })
  await clock.advance(120_000)
  end.abort(new Error('enough'))
  await expect(paired).rejects.toThrow('enough')
  expect(asked).toBe(2)
})
