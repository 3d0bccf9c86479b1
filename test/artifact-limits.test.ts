/** The limits of bytes that a service is configured with. */
import { randomBytes } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { credentials, type S3Server, s3Servers, urlOf } from './components/s3-servers.ts'
import { scaleFlow } from './documents.ts'
import { problemOf, publish, startService } from './service.ts'

const places: { name: string; start: () => Promise<S3Server | null> }[] = [
  { name: 'a folder', start: async () => null },
  ...s3Servers,
]

describe.each(places)('in $name', ({ start }) => {
  let server: S3Server | null
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())
  const where = () => (server ? { artifactsUrl: urlOf(server.port), ...credentials } : {})

  test('bytes, frames and imports keep to the limits of the configuration, and what is refused leaves nothing [R112, R672, T61, T89]', async () => {
    await using service = await startService({
      artifactMaxBytes: 2000,
      mediaRingBytes: 1000,
      importMaxBytes: 8000,
      ...where(),
    })
    const { baseUrl, token } = service
    const importing = (runs: object[]) => service.send('POST', '/runs/import', { runs })
    const put = async (bytes: number, query = '') => {
      const answer = await fetch(`${baseUrl}/artifacts${query}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}` },
        body: randomBytes(bytes),
      })
      return { status: answer.status, body: (await answer.json()) as { digest: string; code: string } }
    }
    const statusOf = async (digest: string): Promise<number> => {
      const answer = await fetch(`${baseUrl}/artifacts/${digest}`, { headers: { authorization: `Bearer ${token}` } })
      await answer.arrayBuffer()
      return answer.status
    }
    expect((await put(2000)).status).toBe(201)
    const digest = `sha256:${'0'.repeat(64)}`
    const begun = await service.send('POST', '/artifacts/uploads', { digest, size: 2001 })
    expect(begun.status).toBe(server ? 413 : 400)
    expect(await put(2001)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    expect(await put(1001, '?volatile=true')).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    const [older, newer] = [await put(600, '?volatile=true'), await put(600, '?volatile=true')]
    expect([await statusOf(older.body.digest), await statusOf(newer.body.digest)]).toEqual([404, 200])

    await publish(service, 'scale', scaleFlow)
    const entry = (id: string, bytes: number) => ({
      flow: 'scale',
      external_id: id,
      status: 'ok',
      created_at: '2024-01-01T00:00:00Z',
      artifacts: [{ name: 'data', data: randomBytes(bytes).toString('base64') }],
    })
    for (const runs of [
      // each of them is small enough, not so all of them
      [entry('a', 1900), entry('b', 1900), entry('c', 1900), entry('d', 1900)],
      // one that is too large when it is decoded
      [entry('a', 10), entry('b', 2001)],
    ]) {
      const refused = await importing(runs)
      expect([refused.status, problemOf(refused).code]).toEqual([413, 'payload_too_large'])
      expect((await service.send('GET', '/runs?flow=scale')).body).toEqual([])
    }
    expect((await importing([entry('a', 10), entry('b', 2000)])).status).toBe(200)
  })
})
