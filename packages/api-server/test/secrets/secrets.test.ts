/** Secrets on a whole service: what the API tells of them, and what they do in flows and runs. */
import type {
  Flow,
  FlowDocumentInput,
  FlowListItem,
  NodeRecord,
  ObservabilityEvent,
  Run,
  RunPlan,
  SecretUsage,
} from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startService, type TestService } from '../observability/service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

const canary = 'canary "value" of a secret'
const put = (name: string, value: unknown) => at.root('PUT', `/secrets/${name}`, { value })
const names = async () => (await at.ann<string[]>('GET', '/secrets/')).value

/** A webhook behind a secret; what it gets leaves as `got`. */
const hooked = (secret: string): FlowDocumentInput => ({
  nodes: [
    {
      id: 'hook',
      type: 'http',
      settings: { url: 'in', secret: { $secret: secret } },
      ports: [{ direction: 'output', name: 'got' }],
    },
  ],
})
const hookAt = async (path: string): Promise<number> =>
  (
    await fetch(`${at.origin}/hooks/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '1',
    })
  ).status

/** A run of a Python node that answers what its setting `token` is made of. */
const reader = (secret: string, token: object = { $secret: secret }): FlowDocumentInput => ({
  mode: 'batch',
  outputs: [{ name: 'length' }],
  nodes: [
    {
      id: 'read',
      type: 'python',
      source: 'def run(token):\n    return {"length": len(token)}\n',
      settings: { token } as never,
      ports: [{ direction: 'output', name: 'length', dtype: 'int' }],
    },
  ],
})
async function ran(flow: string, params = {}): Promise<{ run: Run; node: NodeRecord | undefined }> {
  const { value } = await at.root<Run>('POST', `/runs/flows/${flow}`, { params })
  const read = async () => (await at.root<Run>('GET', `/runs/${value.id}`)).value
  await expect.poll(async () => (await read()).status).not.toMatch(/queued|running/)
  const run = await read()
  return { run, node: run.nodes[0] }
}
async function stored(name: string, document: FlowDocumentInput): Promise<Flow> {
  const { version } = (await at.root<Flow>('PUT', `/flows/${name}`, document)).value
  const { value, status } = await at.root<Flow>('POST', `/flows/${name}/publish`, { version })
  expect(status).toBe(200)
  return value
}

describe('the API', () => {
  test('stores a value and tells the name alone, to every user [R148] [R149] [R150] [R555]', async () => {
    expect((await put('b.two', canary)).status).toBe(204)
    expect((await put('a-one', canary)).status).toBe(204)
    expect((await put('a-one', canary)).status).toBe(204)
    expect(await names()).toEqual(['a-one', 'b.two'])
    const { value, text } = await at.ann<SecretUsage[]>('GET', '/secrets/usage')
    expect(value).toMatchObject([
      { name: 'a-one', used_by: [] },
      { name: 'b.two', used_by: [] },
    ])
    expect(value[0]!.updated_at > value[0]!.created_at).toBe(true)
    expect(text).not.toContain('canary')
  })

  test('never answers a value, takes none from an ordinary user, and no bad name or value [R556] [T83]', async () => {
    expect((await at.root('GET', '/secrets/a-one')).status).toBe(405)
    expect((await at.ann('PUT', '/secrets/a-one', { value: 'x' })).problem.code).toBe('forbidden')
    expect((await at.ann('DELETE', '/secrets/a-one')).problem.code).toBe('forbidden')
    for (const name of ['.hidden', '_x', 'a%20b', 'a%2Fb', 'x'.repeat(101), 'a%00', 'ä'])
      expect([name, (await put(name, 'value')).status]).toEqual([name, 422])
    for (const body of [
      {},
      { value: 1 },
      { value: 'x', more: 1 },
      { value: 'ä'.repeat(32_769) },
      { value: 'x'.repeat(65_537) },
    ])
      expect((await at.root('PUT', '/secrets/bad', body)).status).toBe(422)
    expect(await names()).toEqual(['a-one', 'b.two'])
    expect((await put('largest', 'x'.repeat(65_536))).status).toBe(204)
    expect((await at.root('DELETE', '/secrets/largest')).status).toBe(204)
    expect((await at.root('DELETE', '/secrets/largest')).problem.code).toBe('not_found')
  })

  test('notes who changed which one in the audit trail, without the value', async () => {
    await put('audited', canary)
    await at.root('DELETE', '/secrets/audited')
    const { value, text } = await at.ann<ObservabilityEvent[]>('GET', '/observability/events?kind=audit&limit=2')
    expect(value).toMatchObject([
      { action: 'secret.delete', actor: { email: 'root@example.org' }, detail: { secret: 'audited' } },
      { action: 'secret.put', actor: { email: 'root@example.org' }, detail: { secret: 'audited' } },
    ])
    expect(text).not.toContain('canary')
  })

  test('keeps nothing readable in the database, and no two values alike [T82]', async () => {
    const rows = await at.engine.database.sql<{ sealed: Buffer; text: string }[]>`
      select sealed, secret::text as text from secret where name in ('a-one', 'b.two')`
    expect(rows.length).toBe(2)
    expect(rows[0]!.sealed.equals(rows[1]!.sealed)).toBe(false)
    for (const { sealed, text } of rows) {
      expect(sealed.includes('canary')).toBe(false)
      expect(text).not.toContain('canary')
    }
  })
})

describe('a flow', () => {
  test('that refers to a missing one has an issue in draft, list and validation, until it is stored [R052]', async () => {
    const saved = await at.root<Flow>('PUT', '/flows/later', hooked('later'))
    const unknown = { code: 'unknown_secret', severity: 'error', node: 'hook', path: '/nodes/0/settings/secret' }
    expect(saved.value.issues).toMatchObject([unknown])
    const errors = async () =>
      (await at.ann<FlowListItem[]>('GET', '/flows/')).value.find(({ name }) => name === 'later')?.issues.error
    expect(await errors()).toBe(1)
    const publish = () => at.root('POST', '/flows/later/publish', { version: saved.value.version })
    expect((await publish()).problem.code).toBe('flow_invalid')
    await put('later', 'stored at last')
    expect((await at.ann('POST', '/flows/later/validate')).value).toMatchObject({ valid: true, issues: [] })
    expect(await errors()).toBe(0)
    expect((await publish()).status).toBe(200)
    expect((await at.ann<Flow>('GET', '/flows/later')).value.nodes[0]?.settings).toMatchObject({
      secret: { $secret: 'later' },
    })
  })

  test('keeps the ones it refers to from being deleted, and is named with its nodes', async () => {
    const use = { flow: 'later', node: 'hook', draft: false, published: true }
    const { status, problem } = await at.root('DELETE', '/secrets/later')
    expect([status, problem.code]).toEqual([409, 'in_use'])
    expect(problem).toMatchObject({ detail: expect.stringContaining('"hook" of "later"'), used_by: [use] })
    const { version } = (await at.ann<Flow>('GET', '/flows/later')).value
    await at.root('PUT', '/flows/later', { ...hooked('later'), version })
    const usage = (await at.ann<SecretUsage[]>('GET', '/secrets/usage')).value.find(({ name }) => name === 'later')
    expect(usage?.used_by).toEqual([{ ...use, draft: true }])
    await at.root('DELETE', '/flows/later')
    expect((await at.root('DELETE', '/secrets/later')).status).toBe(204)
  })

  test('that is active is built anew with a new value before the answer; others are not touched [R200] [R358]', async () => {
    await put('door', 'first-word')
    await put('window', 'other-word')
    await at.publish('entry', hooked('door'))
    await at.publish('aside', hooked('window'))
    expect(await hookAt('entry/in/first-word')).toBe(202)
    const told: string[] = []
    const stop = at.bus.subscribe((event) => event.type === 'flow' && void told.push(event.name))
    await put('door', 'second-word')
    stop()
    expect(told).toEqual(['entry'])
    expect([await hookAt('entry/in/first-word'), await hookAt('entry/in/second-word')]).toEqual([404, 202])
    expect(await hookAt('aside/in/other-word')).toBe(202)
  })

  test('that could not start for want of a usable value starts when there is one', async () => {
    await put('empty', '')
    await stored('waiting', hooked('empty'))
    const state = await at.root<{ status: string }>('POST', '/flows/waiting/start')
    expect((await at.ann<Flow>('GET', '/flows/waiting')).value).toMatchObject({
      status: 'failed',
      issues: [{ code: 'start_failed', node: 'hook' }],
    })
    expect(state.status).toBeGreaterThanOrEqual(400)
    await put('empty', 'no longer')
    expect((await at.ann<Flow>('GET', '/flows/waiting')).value).toMatchObject({ status: 'active', issues: [] })
    expect(await hookAt('waiting/in/no%20longer')).toBe(202)
  })
})

describe('a run', () => {
  test('calls code with the value, keyed by the reference: a new value hits, another name does not [R600] [R616]', async () => {
    await put('token', 'twelve chars')
    await put('copy', 'twelve chars')
    await stored('reader', reader('token'))
    await stored('copied', reader('copy'))
    const first = await ran('reader')
    expect(first.run).toMatchObject({ status: 'ok', result: { length: 12 } })
    await put('token', 'of another length')
    expect(await ran('reader')).toMatchObject({ run: { result: { length: 12 } }, node: { cached: true } })
    expect(await ran('copied')).toMatchObject({ run: { result: { length: 12 } }, node: { cached: false } })
  })

  test('with the value of a secret in its outputs shows the mask and is not taken over by another', async () => {
    await put('token', 'twelve chars')
    const document = reader('token')
    const [node] = document.nodes!
    const echo = { ...node!, source: 'def run(token):\n    return {"length": "is " + token}\n' }
    const ports = [{ direction: 'output' as const, name: 'length', dtype: 'str' as const }]
    await stored('echo', { ...document, nodes: [{ ...echo, ports }] })
    for (const _ of [1, 2]) {
      expect(await ran('echo')).toMatchObject({
        run: { status: 'ok', result: { length: 'is ***' } },
        node: { cached: false },
      })
    }
    expect((await ran('echo')).node?.cache?.why).toEqual(['outputs with the value of a secret are not kept'])
  })

  test('gets its params as they are, also when it is retried, and shows them masked wherever it is read [T81]', async () => {
    await put('token', 'twelve chars')
    const ports = [
      { direction: 'input' as const, name: 'x', dtype: 'object' as const },
      { direction: 'output' as const, name: 'length', dtype: 'int' as const },
      { direction: 'output' as const, name: 'loss', dtype: 'float' as const, stream: true },
    ]
    const source = 'def run(x):\n    emit(loss=1.5)\n    return {"length": len(x["twelve chars"][0])}\n'
    await stored('given', {
      mode: 'batch',
      inputs: [{ name: 'x', dtype: 'object' }],
      outputs: [{ name: 'length' }],
      nodes: [{ id: 'length', type: 'python', source, ports }],
    })
    const { run } = await ran('given', { x: { 'twelve chars': ['Bearer twelve chars'] } })
    const shown = {
      params: { x: { '***': ['Bearer ***'] } },
      inputs: [{ name: 'x', value: { '***': ['Bearer ***'] } }],
    }
    expect(run).toMatchObject({ status: 'ok', result: { length: 19 }, ...shown })
    for (const path of [
      `series/compare?ids=${run.id}&metric=loss`,
      'export/runs?format=csv&flow=given',
      'export/runs?format=jsonl&flow=given&params=x',
      'export/metrics?format=csv&flow=given&params=x',
      'export/metrics?format=jsonl&flow=given&params=x',
    ]) {
      const { text } = await at.ann('GET', `/runs/${path}`)
      expect([path, text]).toEqual([path, expect.stringContaining('Bearer ***')])
      expect([path, text]).toEqual([path, expect.not.stringContaining('twelve chars')])
    }
    const retried = await at.root<Run>('POST', `/runs/${run.id}/retry`)
    expect(retried.value).toMatchObject(shown)
    await expect
      .poll(async () => (await at.ann<Run>('GET', `/runs/${retried.value.id}`)).value)
      .toMatchObject({ status: 'ok', result: { length: 19 }, ...shown })
  })

  test('that is imported keeps its result masked, as one that was executed here [T81]', async () => {
    await put('token', 'twelve chars')
    await stored('taken', {
      mode: 'batch',
      inputs: [{ name: 'x', dtype: 'str' }],
      outputs: [{ name: 'y' }],
      nodes: [
        {
          id: 'y',
          type: 'python',
          source: 'def run(x):\n    return {"y": x}\n',
          ports: [
            { direction: 'input', name: 'x', dtype: 'str' },
            { direction: 'output', name: 'y', dtype: 'str' },
          ],
        },
      ],
    })
    const long = 'twelve chars, '.repeat(60_000)
    const entry = { flow: 'taken', external_id: 'taken', status: 'ok', created_at: '2024-01-01T00:00:00Z' }
    const { value } = await at.root<{ runs: { id: string }[] }>('POST', '/runs/import', {
      runs: [{ ...entry, params: { x: 'twelve chars' }, result: { y: { by: ['twelve chars'] }, long } }],
    })
    const id = value.runs[0]?.id ?? ''
    const { value: run, text } = await at.ann<Run>('GET', `/runs/${id}`)
    expect(run).toMatchObject({ params: { x: '***' }, result: { y: { by: ['***'] } } })
    expect(text).not.toContain('twelve chars')
    const { digest } = run.result!['long'] as { digest: string }
    const bytes = (await at.ann('GET', `/artifacts/${digest}`)).text
    expect([bytes.includes('***'), bytes.includes('twelve chars')]).toEqual([true, false])
    const { text: exported } = await at.ann('GET', '/runs/export/runs?format=jsonl&flow=taken&metrics=y')
    expect(exported).toContain('***')
    expect(exported).not.toContain('twelve chars')
    const [row] = await at.engine.database.sql<{ result: unknown }[]>`select result from run_content where run = ${id}`
    expect(JSON.stringify(row)).not.toContain('twelve chars')
  })

  test('that is retried against a flow which takes its params no more is refused without their values', async () => {
    const secret = 'forty characters that nobody may read...'
    await put('token', secret)
    const taking = (dtype: 'int' | 'object'): FlowDocumentInput => ({
      mode: 'batch',
      inputs: [{ name: 'x', dtype }],
      nodes: [
        {
          id: 'y',
          type: 'python',
          source: 'def run(x):\n    return {}\n',
          ports: [{ direction: 'input', name: 'x', dtype }],
        },
      ],
    })
    const { version } = await stored('changed', taking('object'))
    // what is told of a value ends in the middle of the secret
    const { run } = await ran('changed', { x: { before: 'b'.repeat(40), secret } })
    await stored('changed', { ...taking('int'), version } as FlowDocumentInput)
    const { status, text } = await at.ann('POST', `/runs/${run.id}/retry`)
    expect([status, text.includes('***'), text.includes('forty')]).toEqual([422, true, false])
  })

  test('and its plan tell no value of a secret among the reasons for a miss', async () => {
    await put('token', 'twelve chars')
    const ports = [
      { direction: 'input' as const, name: 'x', dtype: 'str' as const },
      { direction: 'output' as const, name: 'y', dtype: 'str' as const },
    ]
    const nodes = [{ id: 'length', type: 'python', source: 'def run(x):\n    return {"y": str(len(x))}\n', ports }]
    const flowed = (initial: string): FlowDocumentInput => ({
      mode: 'batch',
      inputs: [{ name: 'x', dtype: 'str', initial }],
      nodes,
    })
    await stored('plain', flowed('before'))
    await ran('plain')
    const { version } = (await at.ann<Flow>('GET', '/flows/plain')).value
    await stored('plain', { ...flowed('twelve chars'), version } as FlowDocumentInput)
    const plan = await at.ann<RunPlan>('POST', '/runs/flows/plain/plan', {})
    expect(plan.value.stages[0]?.why).toEqual(['input x: "before" -> "***"'])
    expect((await ran('plain')).node?.cache?.why).toEqual(['input x: "before" -> "***"'])
  })
})
