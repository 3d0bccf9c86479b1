/** What devices say that they have. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DeviceService, deviceService } from './device-service.ts'

let at: DeviceService
let board: { readonly credential: string }
beforeAll(async () => {
  at = await deviceService()
  board = { credential: await at.paired('board') }
  await at.create('other')
})
afterAll(() => at[Symbol.asyncDispose]())

const report = (body: unknown, by: Parameters<DeviceService['ask']>[0] = board, id = 'board') =>
  at.ask(by, 'PUT', `/devices/${id}/report`, { body, headers: { 'content-type': 'application/json' } })

describe('a report', () => {
  test('is kept as it was sent, in the place of the one before [R120, R551]', async () => {
    const sent = { io: [{ name: 'gpio4', direction: 'in' }], free: { heap: [1, 2.5, null] }, '': 'x' }
    expect((await report(sent)).status).toBe(204)
    const first = await at.get('board')
    expect(first).toMatchObject({ report: sent, reported_at: expect.stringMatching(/\+00:00$/), version: 1 })
    await report({ uptime: 5 })
    const second = await at.get('board')
    expect(second.report).toEqual({ uptime: 5 })
    expect(second.io).toEqual([])
    expect(String(second.reported_at) > String(first.reported_at)).toBe(true)
  })

  test('names the ports of a single read, which the list does not have [R121, R132]', async () => {
    await report({ io: [{ name: 'backlight', direction: 'out', dtype: 'float', title: 'Light', min: 0 }] })
    expect((await at.get('board')).io).toEqual([
      {
        name: 'backlight',
        direction: 'out',
        dtype: 'float',
        on_demand: false,
        title: 'Light',
        options: { min: 0 },
      },
    ])
    const { value } = await at.ask<object[]>('ann', 'GET', '/devices/')
    expect(value.flatMap(Object.keys)).not.toContain('io')
  })

  test('is read leniently: no content of an object is an error [R553, T44]', async () => {
    for (const odd of [
      {},
      { io: 7 },
      { io: [null, [], { name: 3 }] },
      { ports: {} },
      { name: {}, board: 1 },
      { a: { io: [] } },
    ])
      expect([odd, (await report(odd)).status]).toEqual([odd, 204])
  })

  test('has at most 16,384 bytes [R552, T44]', async () => {
    const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
    expect((await report(sized(16_384))).status).toBe(204)
    const { status, problem } = await report(sized(16_385))
    expect([status, problem.code]).toEqual([413, 'payload_too_large'])
    expect(JSON.stringify((await at.get('board')).report)).toHaveLength(16_384)
  })

  test.each([
    ['an array', '[]'],
    ['a text', '"io"'],
    ['nothing', 'null'],
    ['what nests too deeply', `{"a":${'['.repeat(7000)}${']'.repeat(7000)}}`],
    ['a prototype', '{"__proto__":{"io":[]}}'],
    ['half a character', '{"a":"\\ud800"}'],
  ])('that is %s is refused with a reason [T44]', async (_what, body) => {
    const { status, problem } = await report(body)
    expect([status, problem.code]).toEqual([422, 'validation_failed'])
  })

  test('that is no JSON is refused with a reason [T44]', async () => {
    const answer = await fetch(`${at.origin}/api/v1/devices/board/report`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${board.credential}`, 'content-type': 'application/json' },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'malformed_json'])
  })

  test('is taken of the device itself alone [R550, R628, T44]', async () => {
    await report({ is: 'mine' })
    for (const [by, id, status] of [
      ['root', 'board', 403],
      ['ann', 'board', 403],
      ['nobody', 'board', 401],
      [board, 'other', 403],
      [board, 'missing', 403],
    ] as const)
      expect([by, id, (await report({ is: 'foreign' }, by, id)).status]).toEqual([by, id, status])
    expect((await at.get('board')).report).toEqual({ is: 'mine' })
    expect((await at.get('other')).report).toBeNull()
  })
})

describe('what a device says of itself', () => {
  test('is taken over, its name as long as no person has chosen one [R117, R553]', async () => {
    await report({ name: 'Hall board', board: 'esp32-s3', firmware: '1.4' })
    expect(await at.get('board')).toMatchObject({ name: 'Hall board', board: 'esp32-s3', firmware: '1.4', version: 1 })
    await report({ firmware: '1.5', board: 7 })
    expect(await at.get('board')).toMatchObject({ name: 'Hall board', board: 'esp32-s3', firmware: '1.5' })
    await at.ask('ann', 'PUT', '/devices/board', { body: { version: 1, name: 'My board' } })
    await report({ name: 'Hall board' })
    expect(await at.get('board')).toMatchObject({ name: 'My board', version: 2 })
    const chosen = { credential: await at.paired('chosen') }
    await at.ask('ann', 'PUT', '/devices/chosen', { body: { version: 1 } })
    await report({ name: 'Says so' }, chosen, 'chosen')
    expect((await at.get('chosen')).name).toBe('Says so')
  })

  test('is shown without what controls a terminal or turns a text, and cut to 200 characters [T42]', async () => {
    const hostile = '\u001b[2J<img src=x onerror=alert(1)>\r\n\u202Eexe.\u2066gnp\u0007'
    const shown = '[2J<img src=x onerror=alert(1)>exe.gnp'
    await report({ board: hostile, firmware: `${'x'.repeat(300)}` })
    expect(await at.get('board')).toMatchObject({ board: shown, firmware: 'x'.repeat(200) })
    await at.start({ name: hostile, board: '\u202d', firmware: '  1.0  ' })
    const [waits] = await at.pending()
    expect(waits).toMatchObject({ name: shown, board: null, firmware: '1.0' })
    expect((await at.start({ name: 'x'.repeat(201) })).status).toBe(422)
  })
})
