/** What pairing withstands: guesses, floods, races, a database that is read. */
import type { ObservabilityEvent } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { besides, type DeviceService, deviceService, newPlace, throughPortal } from './device-service.ts'

let at: DeviceService
beforeAll(async () => {
  at = await deviceService()
})
afterAll(() => at[Symbol.asyncDispose]())

const statuses = (answers: readonly { readonly status: number }[]): Record<number, number> =>
  answers.reduce<Record<number, number>>(
    (counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
    {},
  )
const other = (secret: string): string => (secret.startsWith('A') ? 'B' : 'A') + secret.slice(1)
/** All that the database holds, as text. */
async function dump(): Promise<string> {
  const { sql } = at.engine.database
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
  const texts = await Promise.all(
    tables.map(({ name }) => sql.unsafe<{ row: string }[]>(`select t::text as row from "${name}" t`)),
  )
  return texts.flatMap((rows) => rows.map(({ row }) => row)).join('\n')
}
const expire = (code: string) =>
  at.engine.database.sql`update pairing_request set expires_at = now() where code = ${code}`

describe('a poll [T37]', () => {
  test('with a wrong secret is told the same as one with an unknown code', async () => {
    const { value: request } = await at.start()
    const wrong = await at.poll({ ...request, secret: other(request.secret) })
    const unknown = await at.poll({ ...request, code: 'ZZZZZZZZ' })
    expect([wrong.status, wrong.problem]).toEqual([404, unknown.problem])
    expect((await at.poll(request)).status).toBe(200)
  })

  test('without a secret is refused; the query will do where headers cannot be set [R546]', async () => {
    const { value: request } = await at.start()
    const ask = (query: string) =>
      at.ask('nobody', 'GET', `/devices/pair/${request.code}${query}`, { headers: newPlace() })
    expect((await ask('')).problem).toMatchObject({ status: 401, code: 'unauthenticated' })
    expect((await ask(`?secret=${request.secret}`)).value).toMatchObject({ status: 'waiting' })
    expect((await ask(`?secret=${other(request.secret)}`)).status).toBe(404)
  })

  test('of a thousand guesses finds nothing', async () => {
    const { value: request } = await at.start()
    const place = newPlace()
    const guess = (n: number) => at.poll({ code: request.code, secret: `guess-${n}` }, place)
    const answers = []
    for (let lane = 0; lane < 10; lane += 1)
      answers.push(...(await Promise.all(Array.from({ length: 100 }, (_, n) => guess(lane * 100 + n)))))
    expect(Object.keys(statuses(answers))).toEqual(['404', '429'])
    expect(answers.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/)
    // elsewhere nobody notices
    expect((await at.poll(request)).status).toBe(200)
  })

  test('ends with its request', async () => {
    const { value: request } = await at.start()
    await expire(request.code)
    expect((await at.poll(request)).status).toBe(404)
    await at.create('late')
    expect((await at.adopt('late', { code: request.code })).status).toBe(404)
    expect((await at.ask('ann', 'GET', `/devices/pair/${request.code}/device`)).status).toBe(404)
    expect((await at.pending()).map(({ check }) => check)).not.toContain(request.check)
  })
})

describe('a start', () => {
  test('is the sixth of a minute from an address: refused until it is told [R432, R683, T38]', async () => {
    const place = newPlace()
    const answers = await Promise.all(Array.from({ length: 6 }, () => at.start({}, place)))
    expect(statuses(answers)).toEqual({ 201: 5, 429: 1 })
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.problem).toMatchObject({ code: 'rate_limited', retry_after_s: expect.any(Number) })
    expect(refused?.headers.get('retry-after')).toBe(String(refused?.problem['retry_after_s']))
    expect((await at.start({}, besides(place))).status).toBe(201)
  })

  test('is counted by its connection where no proxy is declared, whatever it says of itself [T38]', async () => {
    await using alone = await deviceService({ trustProxy: 0 })
    const answers = await Promise.all(Array.from({ length: 12 }, () => alone.start()))
    expect(statuses(answers)).toEqual({ 201: 5, 429: 7 })
    // a forged address neither is a network
    await alone.create('forged')
    const [request] = await alone.pending()
    expect(request?.same_network).toBe(false)
    expect((await alone.adopt('forged', { request: request?.id }, {})).status).toBe(403)
  })

  test('pushes the oldest of its own side out, beyond fifty [R684, T38]', async () => {
    const { value: outside } = await at.start({}, { 'x-forwarded-for': '8.8.8.8' })
    const { value: first } = await at.start()
    const { value: second } = await at.start()
    await Promise.all(Array.from({ length: 49 }, () => at.start()))
    expect((await at.poll(first)).status).toBe(404)
    expect((await at.poll(second)).status).toBe(200)
    expect((await at.poll(outside)).status).toBe(200)
    const remote = (n: number) => at.start({}, throughPortal({ 'x-forwarded-for': `9.0.${n}.1` }))
    await Promise.all(Array.from({ length: 50 }, (_, n) => remote(n)))
    expect((await at.poll(outside)).status).toBe(404)
    const counts = await at.engine.database
      .sql`select side, count(*) as waiting from pairing_request group by side order by side`
    expect([...counts]).toEqual(['lan', 'outside'].map((side) => ({ side, waiting: 50 })))
    expect((await at.poll(second)).status).toBe(200)
  })
})

describe('adopting', () => {
  test('is tried with ten wrong codes in five minutes, seen or adopted [T39]', async () => {
    await at.create('guessed')
    const guess = (n: number) =>
      n % 2 === 0
        ? at.ask('root', 'POST', '/devices/guessed/pair', { body: { code: `ZZZZZZ${n}` } })
        : at.ask('root', 'GET', `/devices/pair/ZZZZZZ${n}/device`)
    const answers = []
    for (let n = 0; n < 12; n += 1) answers.push((await guess(n)).status)
    expect(answers).toEqual([...Array<number>(10).fill(404), 429, 429])
    const { value: request } = await at.start()
    const body = { code: request.code }
    expect((await at.ask('root', 'POST', '/devices/guessed/pair', { body })).status).toBe(429)
    // somebody else has not guessed
    expect((await at.adopt('guessed', body)).status).toBe(200)
  })

  test('succeeds for one of twenty who do it at the same time [T41]', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `race-${n}`)
    await Promise.all(ids.map((id) => at.create(id)))
    const place = newPlace()
    const { value: request } = await at.start({}, place)
    const [waiting] = await at.pending(place)
    const answers = await Promise.all(ids.map((id) => at.adopt(id, { request: waiting?.id }, place)))
    expect(statuses(answers)).toEqual({ 200: 1, 409: 19 })
    expect(answers.flatMap(({ problem }) => problem.code ?? [])).toEqual(Array(19).fill('already_paired'))
    const winner = answers.find(({ status }) => status === 200)?.value.id
    expect((await at.poll(request)).value.device?.id).toBe(winner)
    const paired = await at.ask<{ id: string; paired: boolean }[]>('ann', 'GET', '/devices/')
    expect(paired.value.filter((device) => ids.includes(device.id) && device.paired)).toHaveLength(1)
  })
})

describe('a credential', () => {
  test('is asked for again until it is used, and never after [R126, T41]', async () => {
    await at.create('lost')
    const { value: request } = await at.start()
    await at.adopt('lost', { code: request.code })
    const polls = await Promise.all(Array.from({ length: 5 }, () => at.poll(request)))
    const credential = polls[0]?.value.device?.credential ?? ''
    expect(polls.map(({ value }) => value.device?.credential)).toEqual(Array(5).fill(credential))
    expect((await at.ask({ credential }, 'GET', '/devices/lost')).status).toBe(200)
    expect((await at.poll(request)).status).toBe(404)
    expect((await at.ask({ credential }, 'GET', '/devices/lost')).status).toBe(200)
  })

  test('that nobody has asked for within ten minutes is lost, and the device is not paired [T41]', async () => {
    await at.create('slow')
    const { value: request } = await at.start()
    await at.adopt('slow', { code: request.code })
    expect((await at.get('slow')).paired).toBe(true)
    await expire(request.code)
    expect((await at.poll(request)).status).toBe(404)
    expect((await at.get('slow')).paired).toBe(false)
  })

  test('cannot be asked for any more once the device is unpaired, or is another by then', async () => {
    await at.create('undone')
    const { value: first } = await at.start()
    await at.adopt('undone', { code: first.code })
    const { value: second } = await at.start()
    await at.adopt('undone', { code: second.code })
    expect((await at.poll(first)).status).toBe(404)
    await at.ask('ann', 'POST', '/devices/undone/unpair')
    expect((await at.poll(second)).status).toBe(404)
    expect((await at.get('undone')).paired).toBe(false)
  })

  test('stands nowhere in the database, and neither does a secret [T37, T41]', async () => {
    await at.create('hidden')
    const { value: request } = await at.start()
    await at.adopt('hidden', { code: request.code })
    const credential = (await at.poll(request)).value.device?.credential ?? ''
    for (const use of [() => Promise.resolve(), () => at.ask({ credential }, 'GET', '/devices/hidden')]) {
      await use()
      const all = await dump()
      expect(all).toContain('hidden')
      for (const text of [credential, request.secret])
        for (const form of [text, Buffer.from(text).toString('hex'), Buffer.from(text, 'base64url').toString('hex')])
          expect(all).not.toContain(form)
    }
  })

  test('through the portal stands beside the direct one, and unpairing ends both [R435, T59]', async () => {
    const direct = await at.paired('both')
    const { value: request } = await at.start({}, throughPortal(newPlace()))
    // the portal hides who is near
    expect((await at.pending(throughPortal(newPlace())))[0]).toMatchObject({ same_network: false })
    await at.adopt('both', { code: request.code })
    const remote = (await at.poll(request)).value.device?.credential ?? ''
    const read = (credential: string) => at.ask({ credential }, 'GET', '/devices/both')
    expect([(await read(direct)).status, (await read(remote)).status]).toEqual([200, 200])
    await at.ask('ann', 'POST', '/devices/both/unpair')
    expect([(await read(direct)).status, (await read(remote)).status]).toEqual([401, 401])
  })

  test('makes a device that asks through the portal online, and one that asks directly no more than seen [R119]', async () => {
    const direct = await at.paired('seen')
    expect(await at.get('seen')).toMatchObject({ online: false, last_seen: null })
    await at.ask({ credential: direct }, 'GET', '/devices/seen')
    await expect.poll(() => at.get('seen')).toMatchObject({ online: false, last_seen: expect.any(String) })
    const { value: request } = await at.start({}, throughPortal(newPlace()))
    await at.adopt('seen', { code: request.code })
    const remote = (await at.poll(request)).value.device?.credential ?? ''
    await at.ask({ credential: remote }, 'GET', '/devices/seen')
    expect(await at.get('seen')).toMatchObject({ online: true })
    const { value: events } = await at.root<ObservabilityEvent[]>('GET', '/observability/events?kind=device&limit=500')
    expect(events.find(({ action }) => action === 'device.online')).toMatchObject({ detail: { device: 'seen' } })
  })
})
