import { once } from 'node:events'
import { Readable } from 'node:stream'

import { describe, expect, test, vi } from 'vitest'

import { type Handlers, reply } from '../../src/http/endpoint.ts'
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

  test('a long value is sent as its JSON in pieces, which is held against the schema as well', async () => {
    const made = { text: [] as string[], read: 0 }
    const long = {
      ...contract,
      list: { ...contract.list, replies: { 200: reply.longJson('The query', contract.list.replies[200].schema) } },
    }
    const list: Handlers<typeof long>['list'] = () => ({
      status: 200,
      text: (async function* () {
        for (const piece of made.text) {
          made.read += 1
          if (piece === 'late') throw new Error('the cursor is gone')
          yield piece
        }
      })(),
    })
    for (const checkReplies of [true, false]) {
      await using running = await serve(bind(long, { ...handlers, list }), { checkReplies })
      made.text = ['{"limit":1,', '"q":"x"}']
      const answer = await fetch(`${running.url}/flows/`)
      expect([answer.headers.get('content-type'), await answer.json()]).toEqual([
        'application/json',
        { limit: 1, q: 'x' },
      ])
      const head = await fetch(`${running.url}/flows/`, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      made.text = ['{"limit":', '"one"}']
      expect((await fetch(`${running.url}/flows/`)).status).toBe(checkReplies ? 500 : 200)
      made.text = ['late']
      expect((await fetch(`${running.url}/flows/`)).status).toBe(500)
    }
    await using running = await serve(bind(long, { ...handlers, list }), { checkReplies: false })
    made.text = ['{', 'late']
    await expect(fetch(`${running.url}/flows/`).then((answer) => answer.text())).rejects.toThrow('terminated')

    // who reads nothing lets nothing be made
    made.text = Array.from({ length: 10_000 }, () => ' '.repeat(65_536))
    made.read = 0
    const leaving = new AbortController()
    const stalled = await fetch(`${running.url}/flows/`, { signal: leaving.signal })
    let before = -1
    await vi.waitUntil(
      () => {
        const isStill = before === made.read
        before = made.read
        return isStill
      },
      { interval: 300, timeout: 30_000 },
    )
    expect(stalled.status).toBe(200)
    expect(made.read).toBeLessThan(1000)
    leaving.abort()
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
