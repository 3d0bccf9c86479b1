/** Flavors on a whole service: what the API does with them, and what they do to flows and their calls. */
import type { Flavor, Flow, FlowDocumentInput, ObservabilityEvent } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startService, type TestService } from '../observability/service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

const numbers = { cpus: 1.5, gpus: 2, ram_mb: 4096 }
const create = (name: string, more: object = {}) =>
  at.root<Flavor>('POST', '/flavors/', { name, ...numbers, description: 'For training.', ...more })
const flavors = async (): Promise<Flavor[]> => (await at.ann<Flavor[]>('GET', '/flavors/')).value
const sized = (flavor: string | null): FlowDocumentInput => ({ mode: 'batch', resources: { flavor } })
const audited = async (flavor: string) => {
  const { value } = await at.root<ObservabilityEvent[]>('GET', '/observability/events?kind=audit&limit=500')
  return value.filter(({ detail }) => detail?.['flavor'] === flavor).map(({ action, actor }) => [action, actor?.email])
}

describe('a flavor', () => {
  test('is a named size, which every user can read [R136, R580]', async () => {
    const flavor = { name: 'gpu-large', ...numbers, description: 'For training.' }
    expect(await create('gpu-large')).toMatchObject({ status: 201, value: flavor })
    const plain = await at.root<Flavor>('POST', '/flavors/', { name: 'Basic', cpus: 0, gpus: 0, ram_mb: 0 })
    expect(plain.value).toEqual({ name: 'Basic', cpus: 0, gpus: 0, ram_mb: 0, description: '' })
    expect(await flavors()).toEqual([plain.value, flavor])
    const again = await create('gpu-large', { cpus: 3 })
    expect([again.status, again.problem.code]).toEqual([409, 'already_exists'])
    expect(await flavors()).toContainEqual(flavor)
  })

  test('is changed in what is sent, up to the largest amounts, and then deleted [R581]', async () => {
    await create('changing')
    const change = (body: object) => at.root<Flavor>('PATCH', '/flavors/changing', body)
    expect((await change({ gpus: 0 })).value).toEqual({
      name: 'changing',
      ...numbers,
      gpus: 0,
      description: 'For training.',
    })
    const largest = { cpus: 100_000, gpus: 100_000, ram_mb: 1e9, description: '' }
    expect((await change(largest)).value).toEqual({ name: 'changing', ...largest })
    expect((await change({})).value).toEqual({ name: 'changing', ...largest })
    expect((await at.root('DELETE', '/flavors/changing')).status).toBe(204)
    expect((await flavors()).map(({ name }) => name)).not.toContain('changing')
    for (const method of ['PATCH', 'DELETE']) {
      const { status, problem } = await at.root(method, '/flavors/changing', method === 'PATCH' ? {} : undefined)
      expect([method, status, problem.code, problem.detail]).toEqual([
        method,
        404,
        'not_found',
        expect.stringContaining('"changing"'),
      ])
    }
  })

  test.each([
    ['POST', { name: 'a.b' }, '/name'],
    ['POST', { cpus: -1 }, '/cpus'],
    ['POST', { gpus: 0.5 }, '/gpus'],
    ['POST', { ram_mb: undefined }, '/ram_mb'],
    ['POST', { memory: 1 }, '/memory'],
    ['POST', { description: 'x'.repeat(1001) }, '/description'],
    ['PATCH', { name: 'other' }, '/name'],
    ['PATCH', { ram_mb: 1e9 + 1 }, '/ram_mb'],
    ['PATCH', { cpus: null }, '/cpus'],
  ])('%s %j is refused at %s', async (method, body, path) => {
    const [full, where] = method === 'POST' ? [{ name: 'refused', ...numbers }, ''] : [{}, 'gpu-large']
    const before = await flavors()
    const { status, problem } = await at.root(method, `/flavors/${where}`, { ...full, ...body })
    expect([status, problem.errors?.[0]?.path]).toEqual([422, path])
    expect(await flavors()).toEqual(before)
  })

  test('is changed by superusers alone, and the audit trail tells who did it [R582]', async () => {
    const asAnn = [
      await at.ann('POST', '/flavors/', { name: 'guarded', ...numbers }),
      await at.ann('PATCH', '/flavors/gpu-large', { cpus: 64 }),
      await at.ann('DELETE', '/flavors/gpu-large'),
    ]
    expect(asAnn.map(({ status, problem }) => [status, problem.code])).toEqual(Array(3).fill([403, 'forbidden']))
    await create('guarded')
    await at.root('PATCH', '/flavors/guarded', { cpus: 2 })
    await at.root('DELETE', '/flavors/guarded')
    await at.root('DELETE', '/flavors/guarded')
    const entries = await audited('guarded')
    expect(entries.toReversed()).toEqual(
      ['flavor.create', 'flavor.update', 'flavor.delete'].map((action) => [action, expect.stringContaining('@')]),
    )
  })

  test('stays while a draft or a published flow names it, and the refusal names them [R581]', async () => {
    await create('needed')
    const { version } = (await at.root<Flow>('PUT', '/flows/trained', sized('needed'))).value
    await at.root('POST', '/flows/trained/publish', { version })
    await at.root('PUT', '/flows/trained', { ...sized(null), version })
    await at.root('PUT', '/flows/planned', sized('needed'))
    await at.root('PUT', '/flows/stranger', sized('needless'))
    const remove = () => at.root('DELETE', '/flavors/needed')
    const { status, problem } = await remove()
    expect([status, problem]).toMatchObject([
      409,
      {
        code: 'in_use',
        detail: expect.stringContaining('"planned", "trained"'),
        used_by: [
          { flow: 'planned', draft: true, published: false },
          { flow: 'trained', draft: false, published: true },
        ],
      },
    ])
    expect((await flavors()).map(({ name }) => name)).toContain('needed')
    await at.root('DELETE', '/flows/planned')
    const published = await remove()
    expect(published.problem).toMatchObject({ used_by: [{ flow: 'trained' }] })
    await at.root('DELETE', '/flows/trained')
    expect((await remove()).status).toBe(204)
  })
})

test('a flow is published and run with a flavor that there is, and with no other [R136]', async () => {
  const { version } = (await at.root<Flow>('PUT', '/flows/waiting', sized('coming'))).value
  const publish = () => at.root<Flow>('POST', '/flows/waiting/publish', { version })
  const refused = await publish()
  expect([refused.status, refused.problem]).toMatchObject([
    422,
    { code: 'flow_invalid', errors: [{ code: 'unknown_flavor', path: '/resources/flavor' }] },
  ])
  await create('coming')
  const published = await publish()
  expect([published.status, published.value.issues]).toEqual([200, []])
  expect((await at.root('POST', '/runs/flows/waiting', {})).status).toBe(201)
})
