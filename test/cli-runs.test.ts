import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { runService } from './cli-process.ts'
import { pythonFlow } from './documents.ts'
import { publish, startService, type TestService } from './service.ts'

let at: TestService
const cwd = mkdtempSync(join(tmpdir(), 'cli-runs-'))
beforeAll(async () => {
  at = await startService()
  const source =
    'def run(n):\n    if n < 0:\n        print("\\x1b[2Jbad")\n        raise ValueError("no luck \\x1b[2J")\n    for i in range(8):\n        yield {"level": n * i}\n    return {"out": n * 10}\n'
  const flow = pythonFlow(source)
  const node = flow.nodes[0]!
  const level = { direction: 'output', name: 'level', dtype: 'float', stream: true }
  await publish(at, 'steps', { ...flow, nodes: [{ ...node, ports: [...node.ports, level] }] } as typeof flow)
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(cwd, { recursive: true, force: true })
})

const service = (...args: string[]) => runService(args, { cwd, env: { SERVICE_DATA_DIR: at.dataDir } })
const json = async <T>(...args: string[]): Promise<T> => JSON.parse((await service(...args, '--json')).out) as T

test('a search is planned, run, compared, exported and reported', async () => {
  const planned = await service('plan', 'steps', '--grid', 'n=1,2,3', '--seeds', '1..2')
  expect(planned.out).toMatch(/0 of 6 .*first run/)

  const swept = await service('sweep', 'steps', '--grid', 'n=1,2,3', '--watch')
  expect(swept.err).toBe('')
  expect(swept.code).toBe(0)
  expect(swept.out).toContain('3 of 3: 3 ok')
  expect(swept.out).toMatch(/ID +STATUS +DURATION +N +OUT\n/)
  const group = /group (\S+)/.exec(swept.out)?.[1] ?? ''

  expect(swept.out).toContain(`service runs compare level --group ${group}\n`)
  expect(swept.out).not.toContain('--by')
  const seeded = await service('sweep', 'steps', '--grid', 'n=1,2', '--seeds', '1..2', '--watch')
  expect(seeded.out).toMatch(/\nmeans over the seeds: service runs compare level --group \S+ --by n\n$/)

  expect((await service('plan', 'steps', '--grid', 'n=3,4')).out).toMatch(/1 of 2 .*input n: \d -> 4/)

  const compared = await service('runs', 'compare', 'level', '--group', group)
  expect(compared.out).toContain('level by step')
  expect(compared.out.match(/● .*n=\d/g)).toHaveLength(3)
  expect(await service('runs', 'compare', 'lvl', '--group', group)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/none of these runs has points of "lvl".* has steps\.level\n/),
  })

  const csv = await service('runs', 'export', '--group', group, '--params', 'n', '--metrics', 'out')
  expect(csv.out.split('\r\n')[0]).toMatch(/^id,flow,.*params\.n,metrics\.out$/)
  const points = await service('runs', 'export', '--group', group, '--points', '--json')
  expect(points.out.trim().split('\n')).toHaveLength(24)

  const since = new Date(Date.now() - 3_600_000).toISOString()
  const listed = async (...flags: string[]) => (await json<{ id: string }[]>('runs', 'list', ...flags)).length
  expect(await listed('--group', group, '--since', since)).toBe(3)
  expect(await listed('--group', group, '--before', since)).toBe(0)

  const report = await service('runs', 'report', '--group', group, '-o', 'steps.html')
  expect(report.out).toBe('steps.html: 3 runs\n')
  expect(readFileSync(join(cwd, 'steps.html'), 'utf8').match(/<polyline/g)).toHaveLength(3)

  // what is there is not replaced unasked
  const kept = { code: 1, err: expect.stringMatching(/"steps\.html" exists.*--force/) as string }
  expect(await service('runs', 'export', '--group', group, '-o', 'steps.html')).toMatchObject(kept)
  expect(await service('runs', 'report', '--group', group, '-o', 'steps.html')).toMatchObject(kept)
  expect(readFileSync(join(cwd, 'steps.html'), 'utf8')).toContain('<polyline')
  expect(await service('runs', 'export', '--group', group, '-o', 'steps.html', '--force')).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, 'steps.html'), 'utf8')).toMatch(/^id,flow,/)
})

test('runs that fail make the sweep end with 1, and say why', async () => {
  writeFileSync(join(cwd, 'entries.json'), '[{"n": -1}, {"n": 5}]')
  const { code, out } = await service('sweep', 'steps', '--file', 'entries.json', '--watch')
  expect(code).toBe(1)
  const [, id = ''] = /error (\S+): .*no luck/.exec(out) ?? []
  const shown = await service('runs', 'show', id)
  expect(shown.out).toContain('raise ValueError')
  expect(shown.out).toMatch(/\n\nlog of \w+:\n\\u001b\[2Jbad\n/)
  // what a terminal would obey is spelled out
  expect(`${out}${shown.out}`).not.toContain('\u001b')
})

test('runs are cancelled, retried, deleted and imported by their ids', async () => {
  const { id } = await json<{ id: string }>('run', 'steps', '-p', 'n=7')
  await at.client.wait(id)
  expect((await service('runs', 'cancel', id)).out).toBe(`${id} is ok\n`)
  const [again] = await json<{ done: string }[]>('runs', 'retry', id)
  const parent = await at.client.wait(/[-0-9a-f]{36}$/.exec(again?.done ?? '')?.[0] ?? '')
  expect(parent).toMatchObject({ parent: id, status: 'ok' })
  const unknown = '01a2b3c4-0000-7000-8000-000000000000'
  const deleted = await service('runs', 'delete', id, unknown)
  expect(deleted.code).toBe(1)
  expect(deleted.out).toMatch(new RegExp(`${id} deleted\n${unknown} .*not_found`))

  const result = { 'y\u001b[2J': 1 }
  const entry = { flow: 'steps', external_id: 'a-1', status: 'ok', created_at: '2026-01-01T00:00:00Z', result }
  writeFileSync(
    join(cwd, 'old.jsonl'),
    `${JSON.stringify(entry)}\n${JSON.stringify({ ...entry, external_id: 'a-2' })}\n`,
  )
  expect((await service('runs', 'import', 'old.jsonl')).out).toBe('imported 2 runs; 0 were known\n')
  expect((await service('runs', 'import', 'old.jsonl')).out).toBe('imported 0 runs; 2 were known\n')
  const imported = (await at.client.runs.list({ flow: 'steps' })).find((run) => run.external_id === 'a-1')
  expect((await service('runs', 'show', imported?.id ?? '')).out).toContain('y\\u001b[2J = 1')
})

test('what cannot be done says what to do', async () => {
  for (const args of [
    ['runs', 'show', '7'],
    ['runs', 'cancel', '7'],
    ['runs', 'compare', 'n', '7'],
  ])
    // oxlint-disable-next-line no-await-in-loop -- each on its own
    expect(await service(...args)).toMatchObject({ code: 2, err: expect.stringContaining(`as "service runs list"`) })
  expect(await service('sweep', 'steps', '--grid', 'n')).toMatchObject({
    code: 2,
    err: expect.stringContaining('name=value'),
  })
  expect(await service('sweep', 'steps', '--grid', 'm=1')).toMatchObject({
    code: 1,
    err: expect.stringContaining('/runs/0/m'),
  })
  expect(await service('runs', 'compare', 'level')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--flow, --group or --filter'),
  })
  for (const args of [['compare', 'level'], ['report'], ['export'], ['export', '--points', '-o', 'nobody.csv']]) {
    // oxlint-disable-next-line no-await-in-loop -- each on its own
    expect([args, await service('runs', ...args, '--flow', 'nobody')]).toMatchObject([
      args,
      { code: 1, out: '', err: expect.stringMatching(/there is no flow "nobody"[^]*service flows list/) },
    ])
  }
  await publish(at, 'idle', pythonFlow('def run(n):\n    return {"out": n}\n'))
  expect(await service('runs', 'report', '--flow', 'idle')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no run fits'),
  })
  expect(await service('runs', 'export', '--flow', 'idle')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^id,/),
  })
})

test('runs are found by what they were given, the best are told, and people mark them', async () => {
  writeFileSync(join(cwd, 'params.yaml'), 'n: 41\n')
  expect((await service('run', 'steps', '-P', 'params.yaml', '--watch')).code).toBe(0)
  expect((await service('run', 'steps', 'n=42', '-P', 'params.yaml', '--watch')).code).toBe(0)
  const listed = await service(
    'runs',
    'list',
    '--filter',
    'params.n>=41',
    '--sort',
    '-metrics.level:max',
    '--columns',
    'params.n,results.out',
  )
  const rows = listed.out.split('\n').map((line) => line.trim().split(/ {2,}/))
  expect(rows[0]).toEqual(['ID', 'FLOW', 'STATUS', 'CREATED', 'DURATION', 'SEED', 'N', 'OUT', 'LEVEL:MAX', 'ERROR'])
  expect(rows.slice(1, 3).map((row) => row.slice(6, 9))).toEqual([
    ['42', '420', '294'],
    ['41', '410', '287'],
  ])
  const best = await json<{ id: string; params: object }[]>(
    'runs',
    'best',
    '--metric',
    'level',
    '--max',
    '--limit',
    '1',
  )
  expect(best).toMatchObject([{ params: { n: 42 } }])
  const id = best[0]?.id ?? ''
  expect((await service('runs', 'edit', id, '--tag', 'best', '--pin', '--note', 'the one')).out).toBe('changed 1 run\n')
  expect(await json('runs', 'list', '--filter', 'tags=best pinned=true')).toMatchObject([{ id, note: 'the one' }])
  const bad = async (...args: string[]) => (await service(...args)).err
  expect(await bad('runs', 'list', '--filter', 'n>4')).toMatch(/at 1: .*params\.n/)
  expect(await bad('runs', 'best', '--metric', 'level')).toMatch(/--min\).*--max/)
  expect(await bad('runs', 'best', '--metric', 'lvl', '--min')).toMatch(/no run that fits has metrics\.lvl:min/)
  expect(await bad('runs', 'edit', id)).toMatch(/--note, --tag/)
  writeFileSync(join(cwd, 'broken.yaml'), 'n: [1\n')
  expect(await bad('run', 'steps', '-P', 'broken.yaml')).toMatch(/broken\.yaml is no YAML/)
  writeFileSync(join(cwd, 'list.json'), '[1]')
  expect(await bad('run', 'steps', '-P', 'list.json')).toMatch(/list\.json has no parameters/)
})

test('artifacts are stored, listed of a run, and fetched by name or digest', async () => {
  const source =
    'def run(n):\n    return {"out": save_artifact(b"a\\x00b", name="model.bin", media_type="application/x-model")}\n'
  await publish(at, 'saving', pythonFlow(source))
  const { id } = await json<{ id: string }>('run', 'saving', 'n=1', '--watch')
  const [ref] = await json<{ digest: string; name: string; size: number }[]>('artifacts', 'list', id)
  expect(ref).toMatchObject({ name: 'model.bin', size: 3 })
  expect((await service('artifacts', 'list', id)).out).toMatch(/model\.bin .* 3 B .*sha256:/)
  expect((await service('artifacts', 'get', 'model.bin', '--run', id, '-o', 'model.bin')).err).toBe('model.bin: 3 B\n')
  expect(readFileSync(join(cwd, 'model.bin'))).toEqual(Buffer.from('a\0b'))
  expect((await service('artifacts', 'get', 'model.bin', '--run', id, '-o', 'model.bin')).err).toMatch(/exists/)
  expect((await service('artifacts', 'get', 'other', '--run', id)).err).toMatch(
    /no artifact "other"; it has model\.bin/,
  )
  expect(await json('artifacts', 'put', 'model.bin')).toMatchObject({ digest: ref?.digest, name: 'model.bin' })
  expect((await service('artifacts', 'get', ref?.digest ?? '')).out).toBe('a\0b')
})
