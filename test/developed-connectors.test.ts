import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Client } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'

import { publishFlow } from './documents.ts'
import { startService } from './service.ts'

const installed = join(import.meta.dirname, '../packages/api-server/node_modules')

/** A package `acme-meter` whose author works on it. */
class Package implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'acme-meter-'))

  constructor() {
    this.declare({ acme_meter: './dist/meter.js#Meter' })
    for (const name of ['zod', '@flow-service/connector-sdk']) {
      const link = join(this.folder, 'node_modules', name)
      mkdirSync(join(link, '..'), { recursive: true })
      symlinkSync(join(installed, name), link)
    }
  }

  declare(types: object): void {
    this.write('package.json', JSON.stringify({ name: 'acme-meter', version: '0.1.0', service: { node_types: types } }))
  }

  /** A meter that reads `expression` once, when it starts. */
  meter(expression: string, more = ''): void {
    this.write(
      'src/meter.ts',
      `import { Connector } from '@flow-service/connector-sdk'
${more}
export class Meter extends Connector {
  static readonly contract = 1
  static override readonly ports = { outputs: { power: 'float' } } as const
  override async poll(): Promise<{ power: number }> {
    return { power: ${expression} }
  }
}
`,
    )
  }

  write(file: string, text: string): void {
    mkdirSync(join(this.folder, file, '..'), { recursive: true })
    writeFileSync(join(this.folder, file), text)
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const metering = {
  mode: 'live',
  nodes: [
    {
      id: 'meter',
      type: 'acme_meter',
      settings: { poll_interval: 3600 },
      ports: [{ direction: 'output', port: 'power', name: 'power', dtype: 'float' }],
    },
    {
      id: 'start',
      type: 'inject',
      settings: { at_start: true },
      ports: [{ direction: 'output', name: 'started', dtype: 'str' }],
    },
  ],
}

const valueOf = async (client: Client, message: string): Promise<unknown> =>
  (await client.messages.list()).find(({ name }) => name === message)?.value

const powerIs = (client: Client, watts: number): Promise<void> =>
  expect.poll(() => valueOf(client, 'house.power')).toBe(watts)

/** How often the other node of the flow has started. */
const starts = async (client: Client): Promise<number> =>
  (await client.http.messages.history({ message: 'house.started' })).length

test('the sources of a package under development are loaded at the start and again, and nothing but its nodes is made anew', async () => {
  using acme = new Package()
  acme.meter('1')
  await using at = await startService({ developedConnectors: [acme.folder] })
  const { client, service } = at
  expect(service.loadErrors).toEqual([])
  const type = (await client.flows.nodeTypes()).find((each) => each.package !== null)
  expect(type).toMatchObject({
    type: 'acme_meter',
    package: 'acme-meter',
    version: expect.stringMatching(/^0\.1\.0\+dev\./),
  })
  await publishFlow(client, 'house', metering)
  await client.http.flows.start({ name: 'house' })
  await powerIs(client, 1)
  await expect.poll(() => starts(client)).toBe(1)
  const nothing = {
    changed: [],
    unchanged: [],
    removed: [],
    dashboards: { changed: [], removed: [] },
    packages: [],
    errors: [],
  }
  expect(await service.reload()).toEqual(nothing)

  acme.meter('2')
  const { packages } = await service.reload()
  expect(packages).toEqual([
    {
      package: 'acme-meter',
      version: expect.not.stringContaining(type?.version ?? ''),
      nodeTypes: ['acme_meter'],
      removedTypes: [],
      rebuilt: [{ flow: 'house', nodes: ['meter'] }],
    },
  ])
  await powerIs(client, 2)
  expect(await starts(client)).toBe(1)

  acme.meter('3 +')
  const broken = await service.reload()
  expect(broken).toMatchObject({
    packages: [],
    errors: [
      {
        file: 'src/meter.ts',
        line: 7,
        message: expect.stringMatching(/^the package acme-meter: /),
        frame: expect.stringContaining('power: 3 +'),
      },
    ],
  })
  expect(service.loadErrors).toEqual(broken.errors)
  const { load_errors: told } = await client.observability.summary()
  expect(told).toEqual([{ package: 'acme-meter', reason: broken.errors[0]?.message }])
  acme.meter('3', `const early: number = Number.parseFloat('1')\nif (early === 1) throw new TypeError('no device')`)
  expect(await service.reload()).toMatchObject({
    packages: [],
    errors: [{ file: 'src/meter.ts', line: 3, message: expect.stringContaining('TypeError: no device') }],
  })
  expect(await valueOf(client, 'house.power')).toBe(2)
  acme.meter('2')
  expect(await service.reload()).toEqual(nothing)
  expect(service.loadErrors).toEqual([])
  // what was imported before is gone
  expect(readdirSync(join(acme.folder, 'node_modules/.flow-service'))).toHaveLength(1)
  await at.close()
  expect(readdirSync(join(acme.folder, 'node_modules/.flow-service'))).toEqual([])
})

test('a version that does not start leaves the node with the one before, and the next good one takes its place', async () => {
  using acme = new Package()
  acme.meter('1')
  await using at = await startService({ developedConnectors: [acme.folder] })
  const { client, service } = at
  await publishFlow(client, 'house', metering)
  await client.http.flows.start({ name: 'house' })
  await powerIs(client, 1)
  acme.write(
    'src/meter.ts',
    `import { Connector } from '@flow-service/connector-sdk'
export class Meter extends Connector {
  static readonly contract = 1
  override async start(): Promise<void> {
    throw new Error('no device')
  }
}
`,
  )
  expect((await service.reload()).packages).toMatchObject([{ rebuilt: [{ flow: 'house', nodes: [] }] }])
  expect(await client.http.flows.get({ name: 'house' })).toMatchObject({
    status: 'active',
    issues: [{ code: 'start_failed', node: 'meter', message: 'no device' }],
  })
  acme.meter('3')
  expect((await service.reload()).packages).toMatchObject([{ rebuilt: [{ flow: 'house', nodes: ['meter'] }] }])
  await powerIs(client, 3)
  expect(await client.http.flows.get({ name: 'house' })).toMatchObject({ status: 'active', issues: [] })
})

test('a type that appears is there for flows, and nodes of one that vanishes go on and tell it', async () => {
  using acme = new Package()
  acme.meter('1')
  await using at = await startService({ developedConnectors: [acme.folder] })
  const { client, service } = at
  await publishFlow(client, 'house', metering)
  await client.http.flows.start({ name: 'house' })
  await powerIs(client, 1)
  acme.declare({ acme_gauge: './dist/meter.js#Meter' })
  expect((await service.reload()).packages).toMatchObject([
    { nodeTypes: ['acme_gauge'], removedTypes: ['acme_meter'], rebuilt: [{ flow: 'house', nodes: [] }] },
  ])
  expect(await client.http.flows.get({ name: 'house' })).toMatchObject({
    status: 'active',
    issues: expect.arrayContaining([
      expect.objectContaining({
        message: expect.stringContaining('the package acme-meter declares this node type no more'),
      }),
    ]),
  })
  const types = (await client.flows.nodeTypes()).filter((each) => each.package !== null)
  expect(types.map((each) => each.type)).toEqual(['acme_gauge'])
  acme.declare({
    acme_gauge: './dist/meter.js#Meter',
    acme_meter: './dist/meter.js#Meter',
    inject: './dist/meter.js#Meter',
  })
  expect(await service.reload()).toMatchObject({
    packages: [],
    errors: [{ message: expect.stringContaining('the node type "inject" is built in already') }],
  })
  acme.declare({ acme_gauge: './dist/meter.js#Meter', acme_meter: './dist/meter.js#Meter' })
  expect((await service.reload()).packages).toMatchObject([{ rebuilt: [{ flow: 'house', nodes: ['meter'] }] }])
  expect(await client.http.flows.get({ name: 'house' })).toMatchObject({ status: 'active', issues: [] })
})

test('a folder without a package is refused, and one without node types is told and healed', async () => {
  using acme = new Package()
  const nowhere = join(acme.folder, 'nowhere')
  await expect(startService({ developedConnectors: [nowhere] })).rejects.toThrow(
    /there is no package\.json in ".*nowhere"/,
  )
  acme.write('package.json', '{}')
  await using at = await startService({ developedConnectors: [acme.folder] })
  expect(at.service.loadErrors).toMatchObject([
    { file: null, message: expect.stringContaining('declares no node types') },
  ])
  acme.declare({ acme_meter: './dist/meter.js#Meter' })
  acme.meter('1')
  expect((await at.service.reload()).packages).toMatchObject([{ package: 'acme-meter', nodeTypes: ['acme_meter'] }])
  expect(at.service.loadErrors).toEqual([])
})
