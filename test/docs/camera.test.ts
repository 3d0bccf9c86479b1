/** The viewer of the guide sees what is published. */
import { afterEach, expect, test, vi } from 'vitest'

import { publishFlow } from '../documents.ts'
import { startService } from '../service.ts'
import { showCamera } from './camera.ts'

/** Sockets that were opened, so that a test can break their connections. */
const opened: WebSocket[] = []
class SeenSocket extends WebSocket {
  constructor(url: string) {
    super(url)
    opened.push(this)
  }
}
afterEach(() => void vi.unstubAllGlobals())

test('a viewer sees the current picture at once, then the newest ones, and again after its connection broke', async () => {
  vi.stubGlobal('WebSocket', SeenSocket)
  await using at = await startService()
  await publishFlow(at.client, 'yard', { mode: 'live', inputs: [{ name: 'frame', dtype: 'image' }] })
  const take = async (picture: string): Promise<void> => {
    const value = await at.client.upload(picture, { name: 'yard.frame', mediaType: 'image/svg+xml', volatile: true })
    await at.client.http.messages.publish({ message: 'yard.frame', value })
  }
  await take('first')

  const seen: string[] = []
  const hold = Promise.withResolvers<void>()
  const end = new AbortController()
  const where = { api: at.baseUrl, token: at.token, message: 'yard.frame' }
  const draw = async (picture: Blob): Promise<void> => {
    seen.push(`${picture.type} ${await picture.text()}`)
    await hold.promise
  }
  const shown = showCamera(where, draw, end.signal, 1)
  await vi.waitFor(() => expect(seen).toEqual(['image/svg+xml first']), 60_000)
  for (const picture of ['second', 'third', 'last'])
    // oxlint-disable-next-line no-await-in-loop -- in order
    await take(picture)
  hold.resolve()
  await vi.waitFor(() => expect(seen.at(-1)).toBe('image/svg+xml last'), 60_000)

  const before = seen.length
  opened.at(-1)?.close()
  await vi.waitFor(() => expect(seen.slice(before)).toEqual(['image/svg+xml last']), 60_000)
  expect(opened).toHaveLength(2)
  end.abort()
  await shown
})
