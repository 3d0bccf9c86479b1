import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Client, createClient } from '@flow-service/client-sdk'
import type { EventFrame } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { begin } from './cli-process.ts'
import { publishFlow } from './documents.ts'
import { startService } from './service.ts'

const dependencies = join(import.meta.dirname, '../examples/quickstart/node_modules')
const installed = join(import.meta.dirname, '../packages/api-server/node_modules')

/** A project with a folder of flows. */
class Project implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'reload-'))
  readonly flows = join(this.root, 'flows')

  constructor() {
    mkdirSync(this.flows)
    writeFileSync(join(this.root, 'package.json'), '{ "type": "module" }')
    symlinkSync(dependencies, join(this.root, 'node_modules'))
  }

  write(file: string, text: string): void {
    mkdirSync(join(this.root, file, '..'), { recursive: true })
    writeFileSync(join(this.root, file), text)
  }

  /** Links a package that the server has into the folder of a package. */
  install(folder: string, name: string): void {
    const link = join(this.root, folder, 'node_modules', name)
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(join(installed, name), link)
  }

  remove(file: string): void {
    rmSync(join(this.root, file))
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
  }
}

const imports = `import { batchFlow, input, latest, liveFlow, node, stage, t } from '@flow-service/flow-sdk'
import { inject } from '@flow-service/node-types/flow'\n`

/** A live flow that answers `x` with `y`; whenever its node `start` starts, `started` has one more value. */
const live = (name: string, answer: string): string => `${imports}
export const answer = node('answer', {
  in: { x: t.int, offset: latest(t.int, 0) },
  out: { y: t.int },
  run: ({ x, offset }) => ({ y: ${answer} }),
})
export const ${name} = liveFlow('${name}', { x: t.int, offset: t.int, y: t.int, started: t.str }, (m, use) => {
  use(inject({ atStart: true, out: { started: t.str } }), {}, { id: 'start', out: { started: m.started } })
  use(answer, { x: m.x, offset: m.offset }, { out: { y: m.y } })
})
`

/** A batch flow of two stages. */
const batch = (name: string, factor: string, more = ''): string => `${imports}${more}
export const twice = stage('twice', { in: { n: t.int }, out: { product: t.int }, run: ({ n }) => ({ product: n * ${factor} }) })
export const negate = stage('negate', { in: { product: t.int }, out: { negative: t.int }, run: ({ product }) => ({ negative: -product }) })
export const ${name} = batchFlow('${name}', { n: input(t.int, 21) }, (p, use) => {
  const { product } = use(twice, p)
  return { product, negative: use(negate, { product }).negative }
})
`

/** A connector that reads `power` once, when it starts. */
const meter = (power: string): string => `import { Connector } from '@flow-service/connector-sdk'
export default class Meter extends Connector {
  static readonly contract = 1
  static readonly ports = { outputs: { power: 'float' } } as const
  async poll() {
    return { power: ${power} }
  }
}
`

async function resultOf(client: Client, name: string): Promise<unknown> {
  const { id } = await client.http.runs.submit({ name })
  return (await client.wait(id)).result
}

/** What a live flow says to `x`. */
async function answerOf(client: Client, flow: string, x: number): Promise<unknown> {
  // what comes before its flow is active is not answered
  await expect.poll(async () => (await client.http.flows.get({ name: flow })).status).toBe('active')
  const before = (await client.http.messages.history({ message: `${flow}.y`, limit: 500 })).length
  await client.http.messages.publish({ message: `${flow}.x`, value: x })
  const values = () => client.http.messages.history({ message: `${flow}.y`, limit: 500 })
  await expect.poll(async () => (await values()).length).toBe(before + 1)
  return (await values())[0]?.value
}

const startsOf = async (client: Client, flow: string): Promise<number> =>
  (await client.http.messages.history({ message: `${flow}.started` })).length

describe('service.reload', () => {
  test('swaps what has changed, tells what is in error, and leaves everything else as it is', async () => {
    using project = new Project()
    project.write('flows/a.ts', batch('a', '2'))
    project.write('flows/b.ts', batch('b', '2'))
    await using at = await startService({ flows: project.flows })
    const { service } = at
    expect(service.flowFiles).toContain(join(project.flows, 'a.ts'))
    expect(await service.reload()).toEqual({
      changed: [],
      unchanged: ['a', 'b'],
      removed: [],
      dashboards: { changed: [], removed: [] },
      packages: [],
      errors: [],
    })
    project.write('flows/a.ts', batch('a', '3'))
    project.write('flows/b.ts', `${batch('b', '2')}// a comment`)
    expect(await service.reload()).toEqual({
      changed: [{ name: 'a', mode: 'batch', previousVersion: 1, version: 2, nodes: ['twice'] }],
      unchanged: ['b'],
      removed: [],
      dashboards: { changed: [], removed: [] },
      packages: [],
      errors: [],
    })
    expect(await resultOf(at.client, 'a')).toEqual({ product: 63, negative: -63 })
    project.write('flows/a.ts', 'throw new Error("not now")')
    project.remove('flows/b.ts')
    const broken = await service.reload()
    expect(broken).toMatchObject({
      changed: [],
      unchanged: ['a'],
      removed: ['b'],
      errors: [{ file: 'flows/a.ts', line: 1, message: 'Error: not now', frame: expect.stringContaining('^') }],
    })
    expect(service.loadErrors).toEqual(broken.errors)
    expect(service.loadedFlows.map(({ name }) => name)).toEqual(['a'])
    expect(await resultOf(at.client, 'a')).toEqual({ product: 63, negative: -63 })
    expect(await at.client.http.flows.get({ name: 'b' })).toMatchObject({
      status: 'failed',
      issues: [{ code: 'module_missing' }],
    })
    project.write('flows/a.ts', batch('a', '3'))
    project.write('flows/b.ts', batch('b', '2'))
    expect(await service.reload()).toMatchObject({
      changed: [{ name: 'b', previousVersion: 1, version: 1, nodes: [] }],
      unchanged: ['a'],
      errors: [],
    })
    expect(await at.client.http.flows.get({ name: 'b' })).toMatchObject({ status: 'ready', issues: [], version: 1 })
  })

  test('code that loads but cannot be made executable leaves the last good build in place', async () => {
    using project = new Project()
    project.write('flows/a.ts', batch('a', '2'))
    await using at = await startService({ flows: project.flows })
    // an installed package that Node loads lazily, and a bundle has to hold as a whole
    project.write('flows/node_modules/odd/package.json', '{ "type": "module", "exports": "./index.js" }')
    project.write(
      'flows/node_modules/odd/index.js',
      `export const more = () => import('./gone.js')\nexport const odd = 3\n`,
    )
    project.write('flows/a.ts', batch('a', 'odd', `import { odd } from 'odd'`))
    expect(await at.service.reload()).toMatchObject({
      changed: [],
      unchanged: ['a'],
      errors: [{ file: 'flows/a.ts', message: expect.stringMatching(/^flow "a": the code of "twice" .*gone\.js/) }],
    })
    expect(await at.client.http.flows.get({ name: 'a' })).toMatchObject({ version: 1, issues: [] })
    expect(await resultOf(at.client, 'a')).toEqual({ product: 42, negative: -42 })
  })

  test('a folder that is away takes nothing with it', async () => {
    using project = new Project()
    project.write('flows/a.ts', batch('a', '2'))
    await using at = await startService({ flows: project.flows })
    rmSync(project.flows, { recursive: true })
    expect(await at.service.reload()).toMatchObject({
      unchanged: ['a'],
      removed: [],
      errors: [{ file: null, message: expect.stringContaining('cannot be read') }],
    })
    expect(await resultOf(at.client, 'a')).toEqual({ product: 42, negative: -42 })
  })

  test('reloads at the same time are one after the other, and flow objects have nothing to reload', async () => {
    using project = new Project()
    project.write('flows/a.ts', batch('a', '2'))
    await using at = await startService({ flows: project.flows })
    project.write('flows/a.ts', batch('a', '5'))
    const [first, second] = await Promise.all([at.service.reload(), at.service.reload()])
    expect([first.changed.length, second.changed.length]).toEqual([1, 0])
    await using objects = await startService({ flows: [] })
    expect(await objects.service.reload()).toEqual({
      changed: [],
      unchanged: [],
      removed: [],
      dashboards: { changed: [], removed: [] },
      packages: [],
      errors: [],
    })
  })
})

describe('service dev', () => {
  const project = new Project()
  const data = join(project.root, 'data')
  let child: ChildProcessWithoutNullStreams
  let client: Client
  let baseUrl = ''
  let output = ''

  /** Waits until the terminal has shown a text after `from`. */
  const shown = async (text: string | RegExp, from = 0): Promise<void> => {
    await vi.waitFor(() => expect(output.slice(from)).toMatch(text), { timeout: 60_000 })
  }

  beforeAll(async () => {
    project.write('flows/still.ts', live('still', 'x + offset'))
    project.write(
      'acme/package.json',
      '{ "name": "acme", "service": { "node_types": { "acme_meter": "./dist/meter.js" } } }',
    )
    project.write('acme/src/meter.ts', meter('1'))
    project.install('acme', '@flow-service/connector-sdk')
    const acme = ['--connector', join(project.root, 'acme')]
    child = begin(['dev', project.flows, ...acme, '--port', '0', '--data', data], { cwd: project.root })
    child.stdout.on('data', (text: string) => (output += text))
    child.stderr.on('data', (text: string) => (output += text))
    await shown('Ctrl-C stops the engine')
    const signIn = JSON.parse(readFileSync(join(data, 'cli.json'), 'utf8')) as Record<
      'base_url' | 'access_token',
      string
    >
    baseUrl = signIn.base_url
    client = createClient({ baseUrl, token: signIn.access_token })
  })
  afterAll(async () => {
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    await exit
    project[Symbol.dispose]()
  })

  test('a new module is loaded and its live flow started, its prints and failures are lines; an edit is swapped in with the values it has, and nothing else is touched', async () => {
    await expect.poll(() => startsOf(client, 'still')).toBe(1)
    const tooCold = `(() => { throw new RangeError('too cold') })()`
    project.write('flows/busy.ts', live('busy', `(console.log('hello'), x < 0 ? ${tooCold} : x + offset)`))
    await shown(/\+ busy {2}v1 \(new, live\)\n/)
    await client.http.messages.publish({ message: 'busy.offset', value: 100 })
    expect(await answerOf(client, 'busy', 1)).toBe(101)
    await shown(/^› busy\.answer {2}hello$/m)
    await client.http.messages.publish({ message: 'busy.x', value: -1 })
    // the place in the file as it was written, and no frame of ours
    await shown(
      /^✗ busy\.answer {2}failed at flows\/busy\.ts:7:\d+: RangeError: too cold\n(?: {4}at .*flows\/busy\.ts:7:\d+\)?\n)+(?! {4}at)/m,
    )
    // it says so a second after it has started
    await expect.poll(() => startsOf(client, 'busy')).toBe(1)
    const frames: EventFrame[] = []
    const stop = new AbortController()
    const events = client.events({ signal: stop.signal })
    await events.next()
    const collecting = (async () => {
      for await (const frame of events) frames.push(frame)
    })()
    project.write('flows/busy.ts', live('busy', 'x * 10 + offset'))
    await shown(/↻ busy {2}v1 → v2 \(1 node changed\)\n/)
    expect(await answerOf(client, 'busy', 1)).toBe(110)
    // nodes that have not changed are not started again, in this flow or another
    expect([await startsOf(client, 'busy'), await startsOf(client, 'still')]).toEqual([1, 1])
    stop.abort()
    await collecting
    expect(new Set(frames.flatMap((frame) => (frame.type === 'flow' ? [frame.name] : [])))).toEqual(new Set(['busy']))
  })

  test('what stages print and why they fail is shown with their run; the same failure again is one line', async () => {
    const cold = `\nexport const cold = stage('cold', { in: { n: t.int }, out: { m: t.int }, run({ n }) {
  console.log('stage', n)
  throw new RangeError('no stage')
} })
export const colds = batchFlow('colds', { n: input(t.int, 1) }, (p, use) => use(cold, p))\n`
    project.write('flows/colds.ts', `${imports}${cold}`)
    project.write(
      'flows/lib/snake.py',
      'def deeper():\n    raise KeyError("no key")\n\ndef run(n):\n    print("hiss", n)\n    deeper()\n',
    )
    project.write(
      'flows/snakes.ts',
      `import { batchFlow, input, python, t } from '@flow-service/flow-sdk'
export const snake = python('snake', { file: './lib/snake.py', in: { n: t.int }, out: { m: t.int } })
export const snakes = batchFlow('snakes', { n: input(t.int, 7) }, (p, use) => use(snake, p))\n`,
    )
    await shown(/\+ snakes /)
    await shown(/\+ colds /)
    const { id } = await client.http.runs.submit({ name: 'colds' })
    await shown(/^› colds\.cold {2}stage 1$/m)
    await shown(
      new RegExp(
        `^✗ colds\\.cold {2}failed at flows/colds\\.ts:6:\\d+: RangeError: no stage\n {4}at .*flows/colds\\.ts:6:.*\n {4}run ${id}: service runs show ${id}$`,
        'm',
      ),
    )
    await client.http.runs.submit({ name: 'colds', params: { n: 2 } })
    await shown(/^✗ colds\.cold {2}failed again: RangeError: no stage$/m)
    expect((await client.runs.get(id)).status).toBe('error')
    await client.http.runs.submit({ name: 'snakes' })
    await shown(/^› snakes\.snake {2}hiss 7$/m)
    await shown(
      /^✗ snakes\.snake {2}failed at snake\.py:2: KeyError: 'no key'\n {6}File "snake\.py", line 6, in run\n {8}deeper\(\)\n/m,
    )
  })

  test('values of secrets are shown nowhere', async () => {
    await client.http.secrets.set({ name: 'word', value: 'open sesame' })
    const tells = `(() => { console.log('say open sesame'); throw new Error('not open sesame') })()`
    project.write('flows/cave.ts', live('cave', `x + ${tells}`))
    await shown(/\+ cave /)
    await expect.poll(async () => (await client.http.flows.get({ name: 'cave' })).status).toBe('active')
    await client.http.messages.publish({ message: 'cave.x', value: 1 })
    await shown(/^› cave\.answer {2}say \S+$/m)
    await shown(/^✗ cave\.answer {2}failed at flows\/cave\.ts:7:\d+: Error: not \S+$/m)
    expect(output).not.toContain('open sesame')
  })

  test('a flood of prints is a few lines and a count', async () => {
    const loud = `(() => { for (let at = 0; at < 3000; at += 1) console.log('loud', at) })() ?? x`
    project.write('flows/loud.ts', live('loud', loud))
    await shown(/\+ loud /)
    await answerOf(client, 'loud', 1)
    await shown(/^… loud\.answer {2}\d+ lines left out here$/m)
    expect(output.match(/^› loud\.answer {2}loud \d+$/gm)?.length).toBeLessThan(500)
  })

  test('payloads that are refused or dropped are shown, with the command that lists them', async () => {
    project.write(
      'flows/door.ts',
      `${imports}import { http } from '@flow-service/node-types/flow'
export const many = node('many', { in: { go: t.int }, out: { x: t.int }, *run() {
  for (let at = 0; at < 1500; at += 1) yield { x: at }
} })
export const slow = node('slow', { in: { x: t.int }, out: { y: t.int }, run: () => new Promise(() => {}) })
export const door = liveFlow('door', { go: t.int, x: t.int, y: t.int }, (m, use) => {
  use(many, { go: m.go }, { out: { x: m.x } })
  use(http.webhook({ url: 'ring', out: { x: t.int } }), {}, { id: 'ring', out: { x: m.x } })
  use(slow, { x: m.x }, { out: { y: m.y } })
})\n`,
    )
    await shown(/\+ door /)
    await expect.poll(async () => (await client.http.flows.get({ name: 'door' })).status).toBe('active')
    const hook = `${baseUrl.replace('/api/v1', '')}/hooks/door/ring`
    const ringing = await fetch(hook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{ "x": "loud" }',
    })
    expect(ringing.status).toBe(422)
    await shown(/^! door\.ring {2}refused: .*int.*loud/m)
    await expect(client.http.messages.publish({ message: 'door.x', value: 'often' })).rejects.toThrow(
      'door.x takes int',
    )
    await shown(/^! door {2}refused: door\.x takes int, not "often"$/m)
    await client.http.messages.publish({ message: 'door.go', value: 1 })
    await shown(
      /^! door\.slow {2}dropped door\.x: its queue is full \(overflow; service dead-letter list --flow door --node slow\)$/m,
    )
    await shown(/^! door\.slow {2}is degraded: more than 1000 deliveries wait/m)
    await shown(/^… door\.slow {2}\d+ dropped left out here$/m)
    project.remove('flows/door.ts')
    await shown(/✗ door {2}no module defines it any more/)
  })

  test('what does not compile is shown with file, line and frame while the last good build goes on, then the recovery', async () => {
    project.write('flows/fragile.ts', live('fragile', 'x + 1'))
    await shown(/\+ fragile /)
    await expect.poll(() => startsOf(client, 'fragile')).toBe(1)
    const from = output.length
    project.write('flows/fragile.ts', live('fragile', 'x + = 1'))
    await shown(/error: flows\/fragile\.ts:7:\d+: .+\n(.*\n)*.*run: .*x \+ = 1.*\n +\^/, from)
    await shown('what it defines goes on as it was last loaded', from)
    expect(await answerOf(client, 'fragile', 1)).toBe(2)
    expect(await startsOf(client, 'fragile')).toBe(1)
    // broken in another way: it compiles, and throws when it is loaded
    const thrown = output.length
    project.write('flows/fragile.ts', `${live('fragile', 'x + 1')}throw new Error('at home')\n`)
    await shown(/error: flows\/fragile\.ts:13:\d+: Error: at home\n/, thrown)
    expect(await answerOf(client, 'fragile', 2)).toBe(3)
    const repaired = output.length
    project.write('flows/fragile.ts', live('fragile', 'x + 2'))
    await shown(/↻ fragile {2}v1 → v2 \(1 node changed\)\n✓ flows\/fragile\.ts loads again\n/, repaired)
    expect(await answerOf(client, 'fragile', 1)).toBe(3)
  })

  test('a batch flow gets a new version of its changed stages, also by a module outside of the folder', async () => {
    project.write('lib/factor.ts', 'export const factor = 2\n')
    project.write('flows/product.ts', batch('product', 'factor', `import { factor } from '../lib/factor.ts'`))
    await shown(/\+ product {2}v1 \(new, batch\)\n/)
    expect(await resultOf(client, 'product')).toEqual({ product: 42, negative: -42 })
    project.write('lib/factor.ts', 'export const factor = 4\n')
    await shown(/↻ product {2}v1 → v2 \(1 stage changed\)\n/)
    expect(await resultOf(client, 'product')).toEqual({ product: 84, negative: -84 })
  })

  test('what is wrong with a flow that loads all the same is shown with its place', async () => {
    project.write(
      'flows/asking.ts',
      `import { batchFlow, secret, t } from '@flow-service/flow-sdk'
import { http } from '@flow-service/node-types/flow'
const weather = http.request({ url: 'http://127.0.0.1:9', headers: { key: secret('nowhere') }, in: { day: t.str }, out: { sun: t.bool } })
export const asking = batchFlow('asking', { day: t.str }, (p, use) => use(weather, p, { id: 'ask' }))\n`,
    )
    await shown(
      /\+ asking {2}v1 \(new, batch\)\nasking has 1 error\n {2}error {2}\/nodes\/0\/settings\/headers\/key {2}.*"nowhere"/,
    )
    expect(await client.http.flows.get({ name: 'asking' })).toMatchObject({ issues: [{ code: 'unknown_secret' }] })

    project.write('flows/lib/odd.py', 'def run(x):\n    return {"y" x}\n')
    project.write(
      'flows/odd.ts',
      `import { batchFlow, python, t } from '@flow-service/flow-sdk'
export const odd = python('odd', { file: './lib/odd.py', in: { x: t.int }, out: { y: t.int } })
export const odds = batchFlow('odds', { x: t.int }, (p, use) => use(odd, p))\n`,
    )
    await shown(/odds has 1 error\n {2}error {2}\/nodes\/0\/source {2}node "odd": flows\/lib\/odd\.py, line 2: /)
  })

  test('a burst of changes ends in the last one', async () => {
    project.write('flows/burst.ts', batch('burst', '1'))
    await shown(/\+ burst /)
    for (let factor = 2; factor <= 40; factor += 1) {
      project.write('flows/burst.ts', batch('burst', String(factor)))
      await new Promise(setImmediate)
    }
    await expect.poll(() => resultOf(client, 'burst')).toEqual({ product: 840, negative: -840 })
    const { version } = await client.http.flows.get({ name: 'burst' })
    expect(version).toBeLessThan(20)
  })

  test('a flow whose module is removed ends and is failed; with the module it is active again', async () => {
    project.write('flows/leaving.ts', live('leaving', 'x'))
    await shown(/\+ leaving /)
    await expect.poll(() => startsOf(client, 'leaving')).toBe(1)
    project.remove('flows/leaving.ts')
    await shown(/✗ leaving {2}no module defines it any more: ended\n/)
    expect(await client.http.flows.get({ name: 'leaving' })).toMatchObject({
      status: 'failed',
      issues: [{ code: 'module_missing' }],
    })
    project.write('flows/leaving.ts', live('leaving', 'x'))
    await shown(/↻ leaving {2}v1 \(back\)\n/)
    expect(await client.http.flows.get({ name: 'leaving' })).toMatchObject({ status: 'active', issues: [] })
    await expect.poll(() => startsOf(client, 'leaving')).toBe(2)
  })

  test('a connector package is loaded again when its sources change, and its nodes are made anew', async () => {
    const ports = [{ direction: 'output' as const, port: 'power', name: 'power', dtype: 'float' as const }]
    const node = { id: 'meter', type: 'acme_meter', settings: { poll_interval: 3600 }, ports }
    await publishFlow(client, 'house', { mode: 'live', nodes: [node] })
    await client.http.flows.start({ name: 'house' })
    const power = async () => (await client.messages.list()).find(({ name }) => name === 'house.power')?.value
    await expect.poll(power).toBe(1)
    project.write('acme/src/meter.ts', meter('2'))
    await shown(/↻ acme: acme_meter reloaded in \d+ ms, rebuilt meter of house\n/)
    await expect.poll(power).toBe(2)
    const from = output.length
    project.write('acme/src/meter.ts', meter('3 +'))
    await shown(/error: src\/meter\.ts:6:\d+: the package acme: .+\n(.*\n)*.*power: 3 \+/, from)
    const repaired = output.length
    project.write('acme/src/meter.ts', meter('3'))
    await shown(/↻ acme: acme_meter reloaded .*\n✓ src\/meter\.ts loads again\n/, repaired)
    await expect.poll(power).toBe(3)
  })
})
