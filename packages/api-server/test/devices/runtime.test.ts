/** What a board in Python runs, as an engine hands it out. */
import { readFileSync } from 'node:fs'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DeviceService, deviceService } from './device-service.ts'

let at: DeviceService
beforeAll(async () => {
  at = await deviceService()
})
afterAll(() => at[Symbol.asyncDispose]())

const read = (headers: Record<string, string> = {}) => at.ask('nobody', 'GET', '/devices/runtime', { headers })

describe('the source for boards in Python', () => {
  test('is for everybody, and the file of the package', async () => {
    const { status, headers, text } = await read()
    expect([status, headers.get('content-type')]).toEqual([200, 'text/x-python; charset=utf-8'])
    const source = new URL('../../../device-python/flow_service_device/device.py', import.meta.url)
    expect(text).toBe(readFileSync(source, 'utf8'))
  })

  test('is not sent to who has it', async () => {
    const etag = String((await read()).headers.get('etag'))
    const again = await read({ 'if-none-match': etag })
    expect([again.status, again.headers.get('etag'), again.text]).toEqual([304, etag, ''])
    expect((await read({ 'if-none-match': '"another"' })).status).toBe(200)
  })

  test('has an address that no device takes', async () => {
    const { status, problem } = await at.create('runtime')
    expect([status, problem.detail]).toEqual([422, expect.stringContaining('"runtime" is a reserved id of devices')])
  })
})
