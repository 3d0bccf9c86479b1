/** Records of devices over HTTP. */
import type { Device, DeviceDetail, ObservabilityEvent } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DeviceService, deviceService } from './device-service.ts'

let at: DeviceService
beforeAll(async () => {
  at = await deviceService()
})
afterAll(() => at[Symbol.asyncDispose]())

const audited = async (device: string) => {
  const { value } = await at.root<ObservabilityEvent[]>('GET', '/observability/events?kind=audit&limit=500')
  return value
    .filter(({ detail }) => detail?.['device'] === device)
    .map(({ action, actor }) => [action, actor?.email])
    .toReversed()
}
const list = async () => (await at.ann<Device[]>('GET', '/devices/')).value

describe('a device', () => {
  test('is created by its id, read, listed by id, and deleted [R116, R541, R542, R544]', async () => {
    const created = await at.create('hall-panel', { name: 'Panel in the hall' })
    expect([created.status, created.headers.get('location')]).toEqual([201, `${at.origin}/api/v1/devices/hall-panel`])
    const known = {
      id: 'hall-panel',
      name: 'Panel in the hall',
      board: null,
      firmware: null,
      version: 1,
      paired: false,
      online: false,
      last_seen: null,
      report: null,
      reported_at: null,
      created_at: expect.stringMatching(/^\d{4}-.+\+00:00$/),
      updated_at: expect.stringMatching(/^\d{4}-.+\+00:00$/),
    }
    expect(created.value).toEqual({ ...known, io: [], bindings: [] })
    expect(await at.get('hall-panel')).toEqual(created.value)
    await at.create('Attic')
    expect((await list()).map(({ id }) => id)).toEqual(['Attic', 'hall-panel'])
    expect(await list()).toContainEqual(known)
    expect((await at.ask('ann', 'DELETE', '/devices/hall-panel')).status).toBe(204)
    for (const method of ['GET', 'DELETE'])
      expect((await at.ask('ann', method, '/devices/hall-panel')).problem).toMatchObject({
        status: 404,
        detail: expect.stringContaining('"hall-panel"'),
      })
  })

  test('has the name of its id unless it is given one, and an id once [R542]', async () => {
    const { value } = await at.ask<DeviceDetail>('ann', 'POST', '/devices/bare')
    expect(value.name).toBe('bare')
    const again = await at.create('bare', { name: 'another' })
    expect([again.status, again.problem.code]).toEqual([409, 'already_exists'])
    expect((await at.get('bare')).name).toBe('bare')
  })

  test('is saved with the version that was read; a stale one is told the current [R123, R543]', async () => {
    await at.create('saved')
    const save = (body: object) => at.ask<DeviceDetail>('ann', 'PUT', '/devices/saved', { body })
    expect((await save({ version: 1, name: 'first' })).value).toMatchObject({ version: 2, name: 'first' })
    const stale = await save({ version: 1, name: 'second' })
    expect([stale.status, stale.problem.code, stale.problem.current_version]).toEqual([409, 'version_conflict', 2])
    expect(await at.get('saved')).toMatchObject({ version: 2, name: 'first' })
    const together = await Promise.all(Array.from({ length: 8 }, (_, n) => save({ version: 2, name: `by ${n}` })))
    expect(together.map(({ status }) => status).filter((status) => status !== 409)).toEqual([200])
    expect((await at.ask('ann', 'PUT', '/devices/missing', { body: { version: 1 } })).status).toBe(404)
  })

  test('is changed by users, and the audit trail tells who did it', async () => {
    await at.create('traced')
    await at.ask('ann', 'PUT', '/devices/traced', { body: { version: 1, name: 'x' } })
    await at.ask('ann', 'PUT', '/devices/traced', { body: { version: 1, name: 'y' } })
    await at.ask('ann', 'DELETE', '/devices/traced')
    await at.ask('ann', 'DELETE', '/devices/traced')
    expect(await audited('traced')).toEqual(
      ['device.create', 'device.save', 'device.delete'].map((action) => [action, 'ann@example.org']),
    )
  })

  test.each([
    ['POST', '/devices/pending', {}, 'path.id'],
    ['PUT', '/devices/pair', { version: 1 }, 'path.id'],
    ['GET', '/devices/a.b', undefined, 'path.id'],
    ['POST', '/devices/ok', { name: '' }, '/name'],
    ['POST', '/devices/ok', { name: 'x'.repeat(201) }, '/name'],
    ['POST', '/devices/ok', { name: 'a\u001b[31mb' }, '/name'],
    ['POST', '/devices/ok', { name: 'a\u202eb' }, '/name'],
    ['POST', '/devices/ok', { board: 'x' }, '/board'],
    ['PUT', '/devices/ok', { name: 'x' }, '/version'],
    ['PUT', '/devices/ok', { version: 0 }, '/version'],
    ['PUT', '/devices/ok', { version: 1, paired: true }, '/paired'],
    ['POST', '/devices/ok/pair', {}, '/code'],
    ['POST', '/devices/ok/pair', { code: 1 }, '/code'],
  ])('%s %s %j is refused at %s', async (method, path, body, where) => {
    const { status, problem } = await at.ask('ann', method, path, { body })
    expect([status, problem.errors?.[0]?.path]).toEqual([422, where])
  })
})
