/** Modules on a whole service: what is applied, what Python nodes find, and what goes wrong. */
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { EngineEvent, FlowDocumentInput, Message, Modules, ObservabilityEvent, Run } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findPython } from '../../../worker-agent/src/index.ts'
import { startService, type TestService } from '../observability/service.ts'
import { type PackageIndex, startIndex } from './package-index.ts'

const python = await findPython(process.env)
/** An apply makes an environment and starts pip, each some seconds. */
const LONG_MS = 600_000

const wheel = (name: string, version: string, requires: string[] = []) => ({
  name,
  version,
  requires,
  source: `version = ${JSON.stringify(version)}\n`,
})
const wheels = [
  wheel('colour', '1.0'),
  wheel('colour', '2.0'),
  wheel('shade', '1.0', ['colour>=1']),
  wheel('broken', '1.0', ['nowhere-to-be-found>=3']),
  wheel('tint', '1.0', ['colour<2']),
]
const scripts = { preinstall: 'touch ran', install: 'touch ran', postinstall: 'touch ran' }
const packages = [
  { name: 'probe', version: '1.0.0' },
  { name: 'probe', version: '1.1.0', manifest: { dependencies: { helper: '^1.0.0' } } },
  { name: 'helper', version: '1.0.3' },
  { name: '@flows/scripted', version: '1.0.0', manifest: { scripts } },
]

/** Tells what a node imports, and how often it has executed. */
const nodeOf = (source: string): FlowDocumentInput => ({
  mode: 'live',
  inputs: [{ name: 'go', dtype: 'int' }],
  nodes: [
    {
      id: 'code',
      type: 'python',
      source,
      ports: [
        { direction: 'input', name: 'FLOW.go', port: 'go', dtype: 'int' },
        { direction: 'output', name: 'said', port: 'said', dtype: 'any' },
      ],
    },
  ],
})
const importing = `
count = 0
def run(go):
    global count
    count += 1
    try:
        import colour
        found = colour.version
    except ImportError:
        found = None
    return {"said": [found, count, go]}
`

let index: PackageIndex
let at: TestService
beforeAll(async () => {
  index = await startIndex(wheels, packages)
  at = await startService({ pipIndexUrl: index.pipIndexUrl, npmRegistry: index.npmRegistry })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await index[Symbol.asyncDispose]()
})

const modules = async (of = at): Promise<Modules> => (await of.ann<Modules>('GET', '/modules/')).value
const settled = async (of = at): Promise<Modules> => {
  await expect.poll(async () => (await modules(of)).state, { timeout: LONG_MS }).not.toBe('applying')
  return await modules(of)
}
const begin = (requirements: string, of = at) => of.root<Modules>('POST', '/modules/apply', { requirements })
const apply = async (requirements: string, of = at): Promise<Modules> => {
  const { status, text } = await begin(requirements, of)
  if (status !== 202) throw new Error(text)
  return await settled(of)
}
const versions = ({ packages: found }: Modules) => found.map(({ name, version }) => `${name} ${version}`)
const say = async (flow: string, go: number, of = at): Promise<unknown> => {
  await of.root('POST', `/messages/${flow}.go`, { value: go })
  const said = async () =>
    (await of.ann<Message[]>('GET', '/messages/')).value.find(({ name }) => name === `${flow}.said`)?.value
  await expect.poll(said).toMatchObject({ 2: go })
  return said()
}

describe.skipIf(python === null)('modules', { timeout: LONG_MS }, () => {
  test('are nothing at first, and Python nodes run on the interpreter that was found [R557]', async () => {
    expect(await modules()).toMatchObject({
      environment: { kind: 'managed', python: python?.version, path: python?.path },
      requirements: '',
      state: 'ready',
      error: null,
      applied_at: null,
      progress: null,
      pending_restart: false,
      connectors: [],
    })
  })

  test('are applied as a whole: nodes find them from the next call on, and what is left out is gone [R151, R152, R557]', async () => {
    await at.publish('uses', JSON.parse(JSON.stringify(nodeOf(importing)).replaceAll('FLOW', 'uses')))
    expect(await say('uses', 1)).toEqual([null, 1, 1])
    expect(await say('uses', 2)).toEqual([null, 2, 2])
    const text = '# what the lab needs\ncolour<2\n\nshade ; python_version >= "3"\n'
    const applied = await apply(text)
    expect([applied.state, applied.error, applied.requirements]).toEqual(['ready', null, text])
    expect(versions(applied)).toEqual(['colour 1.0', 'shade 1.0'])
    expect(applied.environment.path).toContain(join(realpathSync(at.dataDir), 'modules', 'python'))
    expect(applied.applied_at).toMatch(/^20/)
    expect(await say('uses', 3)).toEqual(['1.0', 1, 3])
    const next = await apply('colour==2.0')
    expect([versions(next), next.error]).toEqual([['colour 2.0'], null])
    expect(await say('uses', 4)).toEqual(['2.0', 1, 4])
    // the environment before has gone
    await expect.poll(() => readdirSync(join(at.dataDir, 'modules', 'python'))).toHaveLength(1)
    const none = await apply('')
    expect([none.requirements, none.environment.path]).toEqual(['', python?.path])
    expect(await say('uses', 5)).toEqual([null, 1, 5])
    await expect.poll(() => readdirSync(join(at.dataDir, 'modules', 'python'))).toEqual([])
  })

  test('of another version make a cached stage a miss that says so, and other stages stay hits', async () => {
    const stage = (id: string, source: string) => ({
      id,
      type: 'python',
      source,
      ports: [{ direction: 'output', name: id, port: 'y', dtype: 'any' }],
    })
    const nodes = [
      stage('imports', 'from colour import version\ndef run():\n    return {"y": version}\n'),
      stage('plain', 'import json\ndef run():\n    return {"y": 1}\n'),
    ]
    const saved = await at.root<{ version: number }>('PUT', '/flows/stages', { mode: 'batch', nodes })
    await at.root('POST', '/flows/stages/publish', { version: saved.value.version })
    const cached = async () => {
      const { value } = await at.root<{ id: string }>('POST', '/runs/flows/stages', {})
      const read = async () => (await at.root<Run>('GET', `/runs/${value.id}`)).value
      await expect.poll(async () => (await read()).status, { timeout: LONG_MS }).toBe('ok')
      return Object.fromEntries(
        (await read()).nodes.map(({ node, cache }) => [node, cache?.hit || cache?.why.join('; ')]),
      )
    }
    await apply('colour==1.0')
    expect(await cached()).toEqual({ imports: 'first run', plain: 'first run' })
    await apply('colour==1.0\nshade')
    expect(await cached()).toEqual({ imports: true, plain: true })
    await apply('colour==2.0')
    expect(await cached()).toEqual({ imports: 'environment: colour 1.0 -> 2.0', plain: true })
  })

  test('that are in force already are left alone, and the answer says so [R152]', async () => {
    await apply('colour<2 # old')
    const asked = index.asked.length
    const again = await begin('colour<2 # old')
    expect([again.status, again.value.state, again.value.log]).toEqual([
      202,
      'ready',
      ['nothing has changed: these requirements are in force already'],
    ])
    const { path } = (await modules()).environment
    const noted = await apply('# another note\ncolour<2')
    expect([noted.requirements, noted.environment.path]).toEqual(['# another note\ncolour<2', path])
    expect(index.asked.slice(asked)).toEqual([])
  })

  test('tell how far they are, in answers and in events, and no other apply begins meanwhile [T85]', async () => {
    await apply('colour<2')
    const told: Extract<EngineEvent, { type: 'modules' }>[] = []
    const end = at.bus.subscribe((event) => void (event.type === 'modules' && told.push(event)))
    const release = index.hold()
    const begun = await begin('colour\nshade')
    expect([begun.status, begun.value]).toMatchObject([
      202,
      { state: 'applying', requirements: 'colour<2', progress: { step: 'resolve', done: 0, total: 2 } },
    ])
    const second = await begin('')
    expect([second.status, second.problem.code]).toEqual([409, 'apply_running'])
    // what was there is used meanwhile
    expect(versions(await modules())).toEqual(['colour 1.0'])
    release()
    expect((await settled()).state).toBe('ready')
    end()
    const steps = [...new Set(told.flatMap(({ progress }) => progress?.step ?? []))]
    expect(steps).toEqual(expect.arrayContaining(['resolve', 'install', 'swap']))
    expect(told.map(({ progress }) => progress?.line)).toContain('shade')
    expect(told.at(-1)).toEqual({ type: 'modules', state: 'ready', progress: null, error: null })
  })

  test.each([
    ['a package that there is not', 'colour\nnowhere', 'line 2 "nowhere": pip says: ERROR: '],
    ['a version that there is not', 'colour>=9', 'line 1 "colour>=9": pip says: ERROR: Could not find a version'],
    ['a package that needs what there is not', 'colour\n\nbroken', 'line 3 "broken": pip says: ERROR: '],
    [
      'lines that contradict each other',
      'colour>=2\ntint',
      'line 1 "colour>=2", line 2 "tint": pip says: ERROR: Cannot install',
    ],
    ['a version of an npm package that there is not', 'npm:probe@^9', 'line 1 "npm:probe@^9": npm says: npm '],
  ])('that cannot be built, for %s, leave what there was, and the line is named [T85]', async (_, text, error) => {
    await apply('colour<2')
    const failed = await apply(text)
    expect([failed.state, failed.requirements, versions(failed)]).toEqual(['failed', 'colour<2', ['colour 1.0']])
    expect(failed.error).toContain(error)
    expect(failed.log.length).toBeGreaterThan(0)
    expect(failed.log.length).toBeLessThanOrEqual(50)
    expect(JSON.stringify(failed)).not.toMatch(/pass( |%20)word-of-the-index/)
    await expect.poll(() => readdirSync(join(at.dataDir, 'modules', 'python'))).toHaveLength(1)
    const { value } = await at.root<ObservabilityEvent[]>('GET', '/observability/events?kind=engine')
    expect(value[0]).toMatchObject({ action: 'modules.fail', level: 'warning', detail: { error: failed.error } })
    expect((await apply('colour<2')).state).toBe('ready')
  })

  test.each([
    ['-i https://elsewhere.example', '/requirements/1', 'options are not taken'],
    ['x @ file:///etc', '/requirements/1', 'addresses are not taken'],
    ['npm:probe@1\nnpm:probe@2', '/requirements/2', 'line 2 names probe too'],
  ])('with the line %j are refused, and the manifest stays [T84]', async (line, path, why) => {
    const { requirements } = await modules()
    const { status, problem } = await begin(`colour\n${line}`)
    expect([status, problem.code, problem.errors?.[0]?.path]).toEqual([422, 'validation_failed', path])
    expect(problem.detail).toContain(why)
    expect((await modules()).requirements).toBe(requirements)
  })

  test.each([
    ['too many lines', { requirements: '\n'.repeat(500) }, '/requirements'],
    ['too many bytes', { requirements: `#${'ä'.repeat(40_000)}` }, '/requirements'],
    ['something else', { requirements: ['colour'] }, '/requirements'],
    ['a word that is not known', { requirements: '', force: true }, '/force'],
  ])('with %s are refused', async (_, body, path) => {
    const { status, problem } = await at.root('POST', '/modules/apply', body)
    expect([status, problem.errors?.[0]?.path]).toEqual([422, path])
  })

  test('are applied by superusers alone, and the audit trail tells who did it [R558, T86]', async () => {
    const refused = await at.ann('POST', '/modules/apply', { requirements: 'colour' })
    expect([refused.status, refused.problem.code]).toEqual([403, 'forbidden'])
    await apply('colour # audited')
    const { value } = await at.root<ObservabilityEvent[]>('GET', '/observability/events?kind=audit&limit=5')
    expect(value[0]).toMatchObject({
      action: 'modules.apply',
      actor: { email: 'root@example.org' },
      detail: { requirements: 'colour # audited' },
    })
  })

  test('of npm are installed without their scripts, beside what the engine has loaded [T105]', async () => {
    const folder = join(at.dataDir, 'modules')
    const applied = await apply('npm:probe@^1.0.0\nnpm:@flows/scripted@1.0.0')
    expect([applied.state, applied.error, applied.pending_restart]).toEqual(['ready', null, true])
    const found = applied.packages.filter(({ ecosystem }) => ecosystem === 'npm')
    expect(found.map(({ name, version }) => [name, version])).toEqual([
      ['@flows/scripted', '1.0.0'],
      ['helper', '1.0.3'],
      ['probe', '1.1.0'],
    ])
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { probe: '^1.0.0', '@flows/scripted': '1.0.0' },
    })
    expect(existsSync(join(folder, 'node_modules', 'probe', 'index.js'))).toBe(true)
    const scripted = join(folder, 'node_modules', '@flows', 'scripted')
    expect(readdirSync(scripted).toSorted()).toEqual(['index.js', 'package.json'])
    const part = realpathSync(scripted)
    // Python lines alone leave them as they are
    expect((await apply('colour\nnpm:@flows/scripted@1.0.0\nnpm:probe@^1.0.0')).pending_restart).toBe(true)
    expect(realpathSync(scripted)).toBe(part)
    const gone = await apply('colour')
    expect([gone.pending_restart, existsSync(join(folder, 'node_modules'))]).toEqual([false, false])
  })
})

describe.skipIf(python === null)('another start of the engine', { timeout: LONG_MS }, () => {
  test('has the same modules, also for nodes that start with it, and its npm packages are no news [F10]', async () => {
    const options = { pipIndexUrl: index.pipIndexUrl, npmRegistry: index.npmRegistry }
    const first = await startService(options)
    await first.publish('starts', JSON.parse(JSON.stringify(nodeOf(importing)).replaceAll('FLOW', 'starts')))
    const before = await apply('colour<2\nnpm:probe@1.0.0', first)
    expect(before.pending_restart).toBe(true)
    await first.close()
    await using second = await startService({ ...options, dataDir: first.dataDir })
    const after = await modules(second)
    expect(after).toEqual({ ...before, pending_restart: false, log: [] })
    expect(await say('starts', 1, second)).toEqual(['1.0', 1, 1])
  })

  test('that comes while modules are applied finds what there was, and says that it was cut off [T85, F10]', async () => {
    const options = { pipIndexUrl: index.pipIndexUrl, npmRegistry: index.npmRegistry }
    const first = await startService(options)
    await apply('colour<2', first)
    const release = index.hold()
    expect((await begin('colour>=2\nshade', first)).value.state).toBe('applying')
    await first.close()
    release()
    await using second = await startService({ ...options, dataDir: first.dataDir })
    const cut = await modules(second)
    expect([cut.state, versions(cut)]).toEqual(['failed', ['colour 1.0']])
    expect(cut.error).toContain('the engine ended while it applied modules')
    await expect.poll(() => readdirSync(join(first.dataDir, 'modules', 'python'))).toHaveLength(1)
    expect(versions(await apply('colour>=2', second))).toEqual(['colour 2.0'])
  })

  test('whose end came between the swap and the last note has the new ones, and no failure to tell [F10]', async () => {
    const first = await startService({ pipIndexUrl: index.pipIndexUrl })
    const before = await apply('colour', first)
    await first.close()
    const note = join(first.dataDir, 'modules', 'attempt.json')
    writeFileSync(note, JSON.stringify({ requirements: 'colour', error: null }))
    await using second = await startService({ dataDir: first.dataDir })
    expect(await modules(second)).toEqual({ ...before, log: [] })
    expect(existsSync(note)).toBe(false)
  })

  test('whose environment does not run any more builds it anew [F10]', async () => {
    const options = { pipIndexUrl: index.pipIndexUrl }
    const first = await startService(options)
    const { environment } = await apply('colour<2', first)
    await first.close()
    rmSync(environment.path ?? '')
    await using second = await startService({ ...options, dataDir: first.dataDir })
    const after = await settled(second)
    expect([after.state, after.error, versions(after)]).toEqual(['ready', null, ['colour 1.0']])
    expect(after.environment.path).not.toBe(environment.path)
    expect(existsSync(after.environment.path ?? '')).toBe(true)
  })
})

describe.skipIf(python === null)('an adopted environment', { timeout: LONG_MS }, () => {
  test('is read, and never changed [R153, T86]', async () => {
    await using adopted = await startService({ python: python?.path ?? null, pipIndexUrl: index.pipIndexUrl })
    const before = await modules(adopted)
    expect(before.environment).toEqual({ kind: 'adopted', python: python?.version, path: python?.path })
    expect(before.packages).toEqual(expect.arrayContaining([expect.objectContaining({ ecosystem: 'pypi' })]))
    const asked = index.asked.length
    const refused = await begin('colour', adopted)
    expect([refused.status, refused.problem.code]).toEqual([400, 'environment_adopted'])
    expect(refused.problem.detail).toContain('without SERVICE_PYTHON')
    expect(await modules(adopted)).toEqual(before)
    expect(index.asked.slice(asked)).toEqual([])
  })
})
