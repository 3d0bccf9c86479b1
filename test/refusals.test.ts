import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { alarmFlow, pythonFlow, scaleFlow } from './documents.ts'
import { type Answer, problemOf, publish, startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService({ artifactMaxBytes: 1000 })
  await publish(at, 'scale', scaleFlow)
  await publish(at, 'alarm', alarmFlow)
  await publish(at, 'coded', pythonFlow('def run(n):\n    return {"out": n}\n'))
})
afterAll(() => at[Symbol.asyncDispose]())

const refused = (answer: Answer) => {
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  const { status, code, type, title, detail } = problemOf(answer)
  expect([status, type]).toEqual([answer.status, `urn:service:problem:${code}`])
  expect(title.length).toBeGreaterThan(3)
  expect(detail.length).toBeGreaterThan(10)
  return [status, code]
}

describe('a conflict of versions', () => {
  test('tells the version to reload; saving with it goes through [R671, R676]', async () => {
    const stale = await at.send('PUT', '/flows/scale', { ...scaleFlow, title: 'mine', version: 0 })
    expect(refused(stale)).toEqual([409, 'version_conflict'])
    const { body } = await at.send('GET', '/flows/scale')
    expect(stale.body?.current_version).toBe(body?.version)
    const merged = { ...scaleFlow, title: 'merged', version: stale.body?.current_version }
    expect((await at.send('PUT', '/flows/scale', merged)).body).toMatchObject({ title: 'merged' })
  })

  test('a publish of what somebody has changed meanwhile tells it too [R676]', async () => {
    const old = (await at.send('GET', '/flows/scale')).body?.version as number
    await at.send('PUT', '/flows/scale', { ...scaleFlow, title: 'newer', version: old })
    const answer = await at.send('POST', '/flows/scale/publish', { version: old })
    expect(refused(answer)).toEqual([409, 'version_conflict'])
    const published = await at.send('POST', '/flows/scale/publish', { version: answer.body?.current_version })
    expect(published.status).toBe(200)
  })

  test('of a hundred saves of one version one goes through [R671, R676]', async () => {
    const { version } = (await at.send('GET', '/flows/coded')).body as { version: number }
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        at.send('PUT', '/flows/coded', {
          ...pythonFlow('def run(n):\n    return {"out": n}\n'),
          title: `${index}`,
          version,
        }),
      ),
    )
    const saved = answers.filter(({ status }) => status === 200)
    expect(saved).toHaveLength(1)
    for (const answer of answers)
      if (answer !== saved[0])
        expect(answer.body).toMatchObject({ code: 'version_conflict', current_version: saved[0]?.body?.version })
    expect((await at.send('GET', '/flows/coded')).body?.title).toBe(saved[0]?.body?.title)
  })
})

describe('every other conflict tells what it is about', () => {
  test('a name that is taken [R671, R677]', async () => {
    const renamed = await at.send('POST', '/flows/scale/rename', { name: 'alarm' })
    expect([refused(renamed), problemOf(renamed).detail]).toEqual([
      [409, 'already_exists'],
      expect.stringContaining('"alarm"'),
    ])
    const copied = await at.send('POST', '/flows/scale/duplicate', { name: 'alarm' })
    expect(refused(copied)).toEqual([409, 'already_exists'])
    expect((await at.send('GET', '/flows/alarm')).body).toMatchObject({ mode: 'live' })
  })

  test('a source that flows use [R671, R677]', async () => {
    expect((await at.send('POST', '/flows/coded/nodes/work/share', { name: 'shared' })).status).toBe(200)
    const answer = await at.send('DELETE', '/flows/library/shared')
    expect([refused(answer), answer.body?.used_by]).toEqual([[409, 'in_use'], expect.anything()])
    expect(JSON.stringify(answer.body?.used_by)).toContain('coded')
  })

  test('a flow whose run is not finished [R671, R677]', async () => {
    await publish(at, 'busy', pythonFlow('import time\ndef run(n):\n    time.sleep(600)\n'))
    const { id } = await at.client.http.runs.submit({ name: 'busy' })
    const answer = await at.send('DELETE', '/flows/busy')
    expect([refused(answer), answer.body?.runs]).toEqual([[409, 'flow_has_active_runs'], [id]])
    await at.send('POST', `/runs/${id}/cancel`)
    await at.client.wait(id)
    expect((await at.send('DELETE', '/flows/busy')).status).toBe(204)
  })

  test.each([
    ['pause of a stopped flow', 'alarm/pause', 'not_active'],
    ['resume of a stopped flow', 'alarm/resume', 'not_active'],
    ['step of a stopped flow', 'alarm/step', 'not_paused'],
    ['trigger in a stopped flow', 'alarm/nodes/hook/trigger', 'not_active'],
  ])('%s [R677]', async (_what, path, code) => {
    const answer = await at.send(
      'POST',
      `/flows/${path}`,
      path.endsWith('trigger') ? { values: { temp: 1 } } : undefined,
    )
    expect([refused(answer), problemOf(answer).detail]).toEqual([[409, code], expect.stringContaining('"alarm"')])
  })

  test('a discard where nothing is published [R677]', async () => {
    await at.send('PUT', '/flows/draft', scaleFlow)
    expect(refused(await at.send('POST', '/flows/draft/discard-draft'))).toEqual([409, 'not_published'])
    expect(refused(await at.send('POST', '/runs/flows/draft', {}))).toEqual([409, 'not_published'])
  })
})

describe('what cannot be asked of this kind of flow is 400', () => {
  test.each([
    ['scale/start'],
    ['scale/stop'],
    ['scale/pause'],
    ['scale/resume'],
    ['scale/step'],
    ['scale/nodes/scale/trigger'],
  ])('%s [R667]', async (path) => {
    expect(refused(await at.send('POST', `/flows/${path}`))).toEqual([400, 'wrong_mode'])
  })

  test('a run of a live flow, a message of a batch flow [R667]', async () => {
    expect(refused(await at.send('POST', '/runs/flows/alarm', {}))).toEqual([400, 'wrong_mode'])
    expect(refused(await at.send('POST', '/messages/scale.n', { value: 1 }))).toEqual([400, 'wrong_mode'])
  })
})

describe('what is not there is 404', () => {
  const id = '01900000-0000-7000-8000-000000000001'
  test.each([
    ['GET', '/flows/nobody'],
    ['DELETE', '/flows/nobody'],
    ['POST', '/flows/nobody/start'],
    ['POST', '/flows/nobody/validate'],
    ['POST', '/flows/nobody/rename', { name: 'somebody' }],
    ['POST', '/flows/alarm/nodes/nobody/trigger', {}],
    ['GET', '/flows/alarm/nodes/nobody/source'],
    ['DELETE', '/flows/library/nobody'],
    ['POST', '/runs/flows/nobody', {}],
    ['GET', `/runs/${id}`],
    ['POST', `/runs/${id}/cancel`],
    ['GET', `/runs/${id}/metrics`],
    ['GET', `/artifacts/sha256:${'0'.repeat(64)}`],
  ])('%s %s [R670]', async (method, path, body?: unknown) => {
    expect(refused(await at.send(method, path, body))).toEqual([404, 'not_found'])
  })
})

describe('an artifact over the configured limit is 413 [R672]', () => {
  const put = async (body: RequestInit['body'], more: object = {}) => {
    const headers = { authorization: `Bearer ${at.token}`, 'content-type': 'text/plain' }
    return fetch(`${at.baseUrl}/artifacts`, { method: 'PUT', headers, body: body ?? null, ...more })
  }

  test('by its declared length, and while it arrives; one at the limit is stored', async () => {
    const long = new Uint8Array(1001)
    for (const answer of [
      await put(long),
      await put(ReadableStream.from([long.subarray(0, 600), long.subarray(0, 600)]), { duplex: 'half' }),
    ]) {
      expect([answer.status, await answer.json()]).toMatchObject([413, { code: 'payload_too_large', max_bytes: 1000 }])
    }
    expect((await put(long.subarray(0, 1000))).status).toBe(201)
  })
})

describe('params of a run are checked before anything is executed [R673, R674]', () => {
  test.each([
    ['undeclared', { m: 1 }, '/params/m'],
    ['of another type', { n: 'two' }, '/params/n'],
    ['null', { n: null }, '/params/n'],
    ['a list', { n: [1] }, '/params/n'],
  ])('%s', async (_what, params, path) => {
    const before = (await at.send('GET', '/runs?flow=scale')).body
    const answer = await at.send('POST', '/runs/flows/scale', { params })
    expect(refused(answer)).toEqual([422, 'validation_failed'])
    expect(problemOf(answer).errors?.map((item) => item.path)).toContain(path)
    expect((await at.send('GET', '/runs?flow=scale')).body).toEqual(before)
  })
})
