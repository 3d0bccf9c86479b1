import { once } from 'node:events'
import { Readable } from 'node:stream'

import { describe, expect, test } from 'vitest'

import { bind } from '../../src/http/mount.ts'
import { serve } from './server.ts'
import { contract, handlers, type Init, useSmallApi } from './small-api.ts'

const api = useSmallApi()
const { call } = api

describe('answers', () => {
  test('a refusal of a handler carries its extension members [R677]', async () => {
    const answer = await call('/flows/x', { method: 'DELETE' })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toEqual({
      type: 'urn:service:problem:in_use',
      title: 'Still in use',
      status: 409,
      detail: 'flow "x" is in use',
      code: 'in_use',
      used_by: ['x'],
    })
  })

  test('a stream is sent as it comes', async () => {
    const answer = await call('/runs/export', {}, null)
    expect(answer.headers.get('content-type')).toBe('text/csv')
    expect(await answer.text()).toBe('a,b\n1,2\n')
  })

  test('a stream that fails before its first byte is a 500 problem', async () => {
    const answer = await call('/runs/export?fail=early', {}, null)
    expect(answer.status).toBe(500)
    expect(answer.headers.get('x-total-count')).toBeNull()
    expect(await answer.json()).toMatchObject({ code: 'internal' })
  })

  test('a stream that fails later breaks the connection: half a file never looks whole', async () => {
    await expect(call('/runs/export?fail=late', {}, null).then((answer) => answer.text())).rejects.toThrow('terminated')
  })

  test('the stream for a client that has left is closed, and nothing is logged', async () => {
    const entered = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const stream = Readable.from(['a,b\n']).on('close', closed.resolve)
    const rows: typeof handlers.rows = async ({ signal }) => {
      entered.resolve()
      await once(signal, 'abort')
      return { status: 200, type: 'text/csv', body: stream }
    }
    await using running = await serve(bind(contract, { ...handlers, rows }))
    const leaving = new AbortController()
    const answer = fetch(`${running.url}/runs/export`, { signal: leaving.signal })
    await entered.promise
    leaving.abort()
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
    await closed.promise
    expect(running.logged).toEqual([])
  })

  test('an answer that departs from its schema fails under checkReplies', async () => {
    for (const kind of ['missing', 'more']) {
      expect((await call(`/broken/${kind}`, { method: 'POST' }, null)).status).toBe(500)
    }
    expect(
      api
        .logged()
        .slice(-2)
        .map(({ fields }) => String((fields as { err: Error }).err)),
    ).toEqual([
      expect.stringContaining('broken.shape answers against its schema'),
      expect.stringContaining('broken.shape answers members that its schema does not declare'),
    ])
  })

  test('an unexpected error is told by an id only; the log has the rest', async () => {
    const answer = await call('/broken/missing', { method: 'POST' }, null)
    const body = (await answer.json()) as { error_id: string; detail: string }
    expect(JSON.stringify(body)).not.toMatch(/at |\.ts|schema/)
    expect(api.logged().at(-1)?.fields).toMatchObject({ error_id: body.error_id })
  })
})

describe('raw bytes', () => {
  const put = (body: string | ReadableStream, headers: Record<string, string> = {}) =>
    call('/artifacts', { method: 'PUT', body, headers, duplex: 'half' } as Init)

  test('a handler reads the stream and knows the media type', async () => {
    const answer = await put('x'.repeat(1000), { 'content-type': 'Image/PNG; q=1' })
    expect(await answer.json()).toEqual({ size: 1000, type: 'image/png' })
  })

  test('a declared length over the limit is 413 at once', async () => {
    const answer = await put('x'.repeat(1001))
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large', max_bytes: 1000 })
  })

  test('a stream without a length is cut at the limit with 413', async () => {
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1
        if (sent > 10_000) controller.close()
        else controller.enqueue(new Uint8Array(10_000))
      },
    })
    const answer = await put(endless)
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large' })
  })

  test('the configuration can set the limit of an endpoint', async () => {
    await using small = await serve(bind(contract, handlers), { maxBodyBytes: { 'artifacts.put': 3 } })
    expect((await fetch(`${small.url}/artifacts`, { method: 'PUT', body: '1234' })).status).toBe(413)
    expect((await fetch(`${small.url}/artifacts`, { method: 'PUT', body: '123' })).status).toBe(200)
  })
})
