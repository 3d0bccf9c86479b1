import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Flow } from '@flow-service/client-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Ended, runService } from './cli-process.ts'
import { limitNode, publishFlow, pythonNode, scaleFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
const folder = mkdtempSync(join(tmpdir(), 'cli-flows-'))
beforeAll(async () => {
  at = await startService()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const service = (args: string[], input = ''): Promise<Ended> =>
  runService(args, { cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir }, input })

const file = (name: string, content: unknown): string => {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return name
}

/** Values of `temp` above a limit go on as `hot`. */
const climate = {
  mode: 'live',
  inputs: [{ name: 'temp', dtype: 'float' }],
  nodes: [limitNode],
}

describe('documents', () => {
  test('a document is checked, saved as a draft and published; the next save says the version that it is made from', async () => {
    const document = file('climate.json', { name: 'climate', ...climate })
    const checked = await service(['validate', document])
    expect(checked).toEqual({ code: 0, out: 'climate: no issues\n', err: '' })
    const saved = await service(['flows', 'save', document])
    expect(saved.err).toBe('')
    expect(saved.out).toBe(
      'saved the draft of climate, version 1, no issues\n' +
        'publish it with: service flows publish climate\n' +
        'the next save of this document says "version": 1\n',
    )
    expect((await service(['flows', 'publish', 'climate'])).out).toBe('published climate, version 1, stopped\n')
    const edited = JSON.stringify({ ...climate, title: 'Climate', version: 1 })
    const again = await service(['flows', 'save', '-', '--name', 'climate', '--publish', '--json'], edited)
    expect(JSON.parse(again.out)).toMatchObject({ name: 'climate', version: 2, published_version: 2, has_draft: false })
    const shown = await service(['flows', 'get', 'climate'])
    expect(shown.out).toMatch(/^climate {2}live, stopped {2}version 2, published 2\nClimate\n/)
    expect(shown.out).toMatch(/limit +switch +climate\.temp -> climate\.hot/)
  })

  test('a save over newer work is refused with the current version and what to do, and changes nothing', async () => {
    await publishFlow(at.client, 'contested', climate)
    await at.client.http.flows.save({
      name: 'contested',
      flowDocument: { ...climate, title: 'Newer', version: 1 } as never,
    })
    const stale = await service([
      'flows',
      'save',
      file('stale.json', { ...climate, version: 1 }),
      '--name',
      'contested',
    ])
    expect([stale.code, stale.out]).toEqual([1, ''])
    expect(stale.err).toBe(
      'error: flow "contested" is at version 2 now, and the document is made from version 1\n' +
        '  see what is there: service flows get contested --json\n' +
        '  merge it, set "version": 2 in the document, and save again\n',
    )
    const blind = await service(['flows', 'save', '-', '--name', 'contested'], JSON.stringify(climate))
    expect([blind.code, blind.err]).toEqual([1, expect.stringContaining('no "version", which means a new flow')])
    const published = await service(['flows', 'publish', 'contested', '--version', '1'])
    expect([published.code, published.err]).toEqual([1, expect.stringContaining('is at version 2 now')])
    expect(await at.client.http.flows.get({ name: 'contested' })).toMatchObject({ title: 'Newer', version: 2 })
  })

  test('what is read as JSON can be saved again as it is', async () => {
    await publishFlow(at.client, 'round', climate)
    const read = await service(['flows', 'get', 'round', '--json'])
    const saved = await service(['flows', 'save', '-', '--json'], read.out)
    expect([saved.code, (JSON.parse(saved.out) as Flow).version]).toEqual([0, 2])
  })

  test('a source may stand in a file of its own beside the document', async () => {
    const node = pythonNode('work', '')
    file('work.py', 'def run(n):\n    return {"out": n}\n')
    const batch = { name: 'apart', mode: 'batch', inputs: [{ name: 'n', dtype: 'int', initial: 1 }] }
    const document = file('apart.json', { ...batch, nodes: [{ ...node, source: { $file: 'work.py' } }] })
    expect((await service(['flows', 'save', document])).code).toBe(0)
    const { nodes } = await at.client.http.flows.get({ name: 'apart' })
    expect(nodes[0]?.source).toBe('def run(n):\n    return {"out": n}\n')
    const absent = file('absent.json', { ...batch, nodes: [{ ...node, source: { $file: 'gone.py' } }] })
    const refused = await service(['flows', 'save', absent])
    expect([refused.code, refused.err]).toEqual([
      1,
      `error: cannot use "${join(folder, 'gone.py')}": it does not exist\n`,
    ])
  })

  test('issues are shown with their place, and a draft with errors is stored but not published', async () => {
    const wrong = { name: 'wrong', ...climate, nodes: [{ ...climate.nodes[0], type: 'teleport' }] }
    const checked = await service(['validate', file('wrong.json', wrong)])
    expect([checked.code, checked.err]).toEqual([1, ''])
    expect(checked.out).toMatch(/^wrong: 1 error\n {2}error +\/nodes\/0\/type +.*teleport/)
    const saved = await service(['flows', 'save', 'wrong.json'])
    expect(saved.code).toBe(0)
    expect(saved.out).toMatch(/version 1, 1 error\n {2}error +\/nodes\/0\/type/)
    const stored = await service(['flows', 'validate', 'wrong'])
    expect([stored.code, stored.out]).toEqual([1, expect.stringContaining('/nodes/0/type')])
    const json = await service(['flows', 'validate', 'wrong', '--json'])
    expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { valid: false, issues: [{ code: 'unknown_type' }] }])
    const published = await service(['flows', 'publish', 'wrong'])
    expect([published.code, published.err]).toEqual([1, expect.stringContaining('teleport')])
  })

  test('validate needs no engine, and knows its secrets and the messages of its flows when there is one', async () => {
    await publishFlow(at.client, 'source', climate)
    const passing = (id: string, message: string) => ({
      id,
      type: 'change',
      settings: {},
      ports: [
        { direction: 'input', name: message, dtype: 'float' },
        { direction: 'output', name: id, dtype: 'float' },
      ],
    })
    const reader = { name: 'reader', nodes: [passing('a', 'source.hot'), passing('b', 'source.nothing')] }
    const document = file('reader.json', reader)
    const known = JSON.parse((await service(['validate', document, '--json'])).out) as { issues: object[] }
    expect(known).toMatchObject({ engine: true })
    expect(known.issues).toMatchObject([{ code: 'unknown_message', path: '/nodes/1/ports/0/name' }])
    const hook = { id: 'h', type: 'http', settings: { url: 'in', secret: { $secret: 'none' } } }
    const secretive = file('secretive.json', { name: 'secretive', nodes: [hook] })
    const unsealed = JSON.parse((await service(['validate', secretive, '--json'])).out) as { issues: object[] }
    expect(unsealed.issues).toContainEqual({
      severity: 'error',
      code: 'unknown_secret',
      message: expect.stringContaining('"none"'),
      node: 'h',
      path: '/nodes/0/settings/secret',
    })
    const alone = await runService(['validate', document], { cwd: folder })
    expect(alone.out).toContain('checked without an engine')
    expect(alone.out).not.toContain('source.')
    const form = await runService(['validate', '-', '--json'], {
      cwd: folder,
      input: JSON.stringify({ name: 'form', nodse: [], nodes: [{ id: 'x', type: 3 }] }),
    })
    expect(form.code).toBe(1)
    expect((JSON.parse(form.out) as { issues: { path: string }[] }).issues.map(({ path }) => path).toSorted()).toEqual([
      '/nodes/0/type',
      '/nodse',
    ])
  })

  test.each([
    ['a file that is no JSON', '{\n  "name": oops\n}', /^error: bad\.json:2:11: no JSON: .+\n$/],
    ['a file that holds no object', '[]', /^error: bad\.json holds no flow document/],
    ['a document without a name', '{}', /^error: the document has no name; give "name" in it, or --name\n$/],
  ])('%s is refused with what to do', async (_what, text, message) => {
    const { code, err } = await service(['flows', 'save', file('bad.json', text)])
    expect(code).toBeGreaterThan(0)
    expect(err).toMatch(message)
  })

  test('a file that is not there is exit code 1', async () => {
    const { code, err } = await service(['validate', 'nowhere.json'])
    expect([code, err]).toEqual([1, 'error: cannot use "nowhere.json": it does not exist\n'])
  })
})

describe('the flow as a whole', () => {
  test('drafts are discarded, flows renamed, duplicated and deleted', async () => {
    await publishFlow(at.client, 'first', climate)
    await at.client.http.flows.save({
      name: 'first',
      flowDocument: { ...climate, title: 'Draft', version: 1 } as never,
    })
    const discarded = await service(['flows', 'discard', 'first'])
    expect(discarded.out).toBe('discarded the draft of first, version 3, stopped\n')
    const again = await service(['flows', 'discard', 'first'])
    expect([again.code, again.out]).toEqual([0, 'first has no draft\n'])
    const renamed = await service(['flows', 'rename', 'first', 'second'])
    expect(renamed.out).toMatch(/^renamed first to second, version \d+, stopped\n$/)
    const copied = await service(['flows', 'duplicate', 'second'])
    expect(copied.out).toBe('copied second to the draft of second_copy, version 1\n')
    const named = await service(['flows', 'duplicate', 'second', 'third', '--json'])
    expect(JSON.parse(named.out)).toMatchObject({ name: 'third', status: 'draft' })
    const taken = await service(['flows', 'rename', 'third', 'second'])
    expect([taken.code, taken.err]).toEqual([1, expect.stringContaining('"second"')])
    expect((await service(['flows', 'delete', 'third'])).out).toBe('deleted third\n')
    const json = await service(['flows', 'delete', 'second_copy', '--json'])
    expect(JSON.parse(json.out)).toEqual({ deleted: 'second_copy' })
    const gone = await service(['flows', 'get', 'third'])
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('flow "third"')])
  })

  test('flows are listed with version, draft and issues', async () => {
    await at.client.http.flows.save({ name: 'listed', flowDocument: { title: 'A title' } as never })
    const node = { id: 'n', type: 'gone' }
    await at.client.http.flows.save({ name: 'unsound', flowDocument: { nodes: [node] } as never })
    const { out } = await service(['flows', 'list'])
    expect(out).toMatch(/^NAME +MODE +STATUS +VERSION +ISSUES +UPDATED +TITLE\n/)
    expect(out).toMatch(/\nlisted +live +draft +1 \(draft\) +- +\d\d:\d\d:\d\d +A title\n/)
    expect(out).toMatch(/\nunsound .* 1 error +\d/)
  })
})

describe('live control', () => {
  beforeAll(async () => {
    await publishFlow(at.client, 'hall', climate)
    await publishFlow(at.client, 'scale', scaleFlow)
  })

  test('a flow is started, paused, stepped, resumed and stopped', async () => {
    const refused = await service(['flows', 'pause', 'hall'])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('"hall"')])
    expect((await service(['flows', 'start', 'hall'])).out).toBe('hall is active\n')
    expect((await service(['flows', 'pause', 'hall'])).out).toBe('hall is paused\n')
    await at.client.http.messages.publish({ message: 'hall.temp', value: 40 })
    await at.client.http.messages.publish({ message: 'hall.temp', value: 41 })
    const step = await service(['flows', 'step', 'hall', '--json'])
    expect(JSON.parse(step.out)).toEqual({ name: 'hall', status: 'paused', held: 1, released: 1 })
    expect((await service(['flows', 'resume', 'hall', '--json'])).code).toBe(0)
    await expect
      .poll(async () => (await at.client.http.messages.history({ message: 'hall.hot' })).map(({ value }) => value))
      .toEqual([41, 40])
    expect((await service(['flows', 'stop', 'hall'])).out).toBe('hall is stopped\n')
    const batch = await service(['flows', 'start', 'scale'])
    expect([batch.code, batch.err]).toEqual([1, expect.stringContaining('is a batch flow')])
  })

  test('a node is triggered with values, cancelled and acknowledged', async () => {
    await at.client.http.flows.start({ name: 'hall' })
    const done = await service(['flows', 'trigger', 'hall', 'limit', '-p', 'temp=55'])
    expect(done.out).toMatch(/^triggered hall\.limit, cascade [0-9a-f-]{36}\n$/)
    await expect
      .poll(async () => (await at.client.http.messages.history({ message: 'hall.hot', limit: 1 }))[0]?.value)
      .toBe(55)
    const port = await service(['flows', 'trigger', 'hall', 'limit', '-p', 'tmp=55'])
    expect([port.code, port.err]).toEqual([1, expect.stringContaining('"tmp"')])
    const usage = await service(['flows', 'trigger', 'hall', 'limit', '-p', '55'])
    expect([usage.code, usage.err]).toEqual([2, 'error: "55" has no name; write -p name=value\n'])
    expect((await service(['flows', 'cancel', 'hall', 'limit'])).out).toBe('0 executions of hall.limit ended\n')
    expect((await service(['flows', 'acknowledge', 'hall', 'limit'])).out).toBe('hall.limit is idle\n')
    const nobody = await service(['flows', 'acknowledge', 'hall', 'nobody'])
    expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('"nobody"')])
  })

  test('the list says how many nodes have failed, also of a flow that is stopped', async () => {
    const ports = [{ direction: 'input', name: 'ring' }]
    const bell = { id: 'bell', type: 'http', settings: { url: 'http://127.0.0.1:9/ring' }, ports }
    await publishFlow(at.client, 'porch', { mode: 'live', inputs: [{ name: 'ring' }], nodes: [bell] })
    await at.client.http.flows.start({ name: 'porch' })
    await at.client.http.messages.publish({ message: 'porch.ring', value: 1 })
    await expect.poll(async () => (await service(['flows', 'list'])).out).toMatch(/\nporch +live +active, 1 failed +1 /)
    await at.client.http.flows.stop({ name: 'porch' })
    expect((await service(['flows', 'list'])).out).toMatch(/\nporch +live +stopped, 1 failed +1 /)
    expect((await service(['flows', 'get', 'porch'])).out).toMatch(/bell +http +failed +porch\.ring +\S+/)
    expect((await service(['flows', 'acknowledge', 'porch', 'bell'])).out).toBe('porch.bell is idle\n')
    expect((await service(['flows', 'list'])).out).toMatch(/\nporch +live +stopped +1 /)
  })

  test('a draft is run by itself, live or batch', async () => {
    const live = await service(['flows', 'run', 'hall', '-p', 'temp=30'])
    expect(live.out).toMatch(/^ok {2}draft of hall, 2 messages\n.+\n {2}hall\.temp +30\n {2}hall\.hot +30\n$/)
    expect(live.code).toBe(0)
    const batch = await service(['flows', 'run', 'scale', '-p', 'n=4', '--json'])
    expect(JSON.parse(batch.out)).toMatchObject({ flow: 'scale', draft: true, params: { n: 4 } })
    const unknown = await service(['flows', 'run', 'hall', '-p', 'nothing=1'])
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('nothing')])
  })
})
