/** Engines that are killed while they apply modules, at any moment: what is there then is whole, the one or the other. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { FlowDocumentInput, Modules } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { startIndex } from '../packages/api-server/test/modules/package-index.ts'
import { findPython } from '../packages/worker-agent/src/index.ts'
import { publishFlow } from './documents.ts'
import { DataDirectory, type EngineProcess, processesWith } from './engine-process.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'

const python = await findPython(process.env)
const LONG_MS = 900_000
/** An apply takes about as long; some kills come after it. */
const LONGEST_MS = 6_000

/** Manifests, and what belongs together when one of them is in force. */
const manifests = [
  ['colour==1.0\nnpm:probe@1.0.0', '1.0', '1.0.0'],
  ['colour==2.0\nnpm:probe@1.1.0', '2.0', '1.1.0'],
] as const

const flow: FlowDocumentInput = {
  mode: 'live',
  inputs: [{ name: 'go', dtype: 'int' }],
  nodes: [
    {
      id: 'code',
      type: 'python',
      source: 'import colour\ndef run(go):\n    return {"said": [colour.version, go]}\n',
      ports: [
        { direction: 'input', name: 'uses.go', port: 'go', dtype: 'int' },
        { direction: 'output', name: 'said', port: 'said', dtype: 'any' },
      ],
    },
  ],
}

/** What a Python node imports. */
async function imported({ client }: EngineProcess, go: number): Promise<unknown> {
  await client.http.messages.publish({ message: 'uses.go', value: go })
  const said = async () => (await client.messages.list()).find(({ name }) => name === 'uses.said')?.value
  await expect.poll(said).toMatchObject({ 1: go })
  return ((await said()) as unknown[])[0]
}

/** The npm package that is in its folder, and the one that the list beside it asks for. */
function npmAt(directory: string): unknown[] {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(directory, 'modules', path), 'utf8'))
  const { version } = read('node_modules/probe/package.json') as { version: string }
  const { dependencies } = read('package.json') as { dependencies: { probe: string } }
  return [version, dependencies.probe]
}

describe.skipIf(python === null)('an engine that is killed while it applies modules', { timeout: LONG_MS }, () => {
  test('has those before or the new ones at its next start, whole, and nothing else is left [T85, F10]', async () => {
    const kills = chosenKills(3)
    const seed = chosenSeed()
    const random = randomFrom(seed)
    console.log(`SEED=${seed} KILLS=${kills}`)
    const wheels = ['1.0', '2.0'].map((version) => ({ name: 'colour', version, source: `version = "${version}"\n` }))
    await using index = await startIndex(
      wheels,
      ['1.0.0', '1.1.0'].map((version) => ({ name: 'probe', version })),
    )
    using directory = new DataDirectory()
    const env = {
      SERVICE_PYTHON: '',
      PATH: [dirname(python?.path ?? ''), process.env.PATH].join(':'),
      SERVICE_PIP_INDEX_URL: index.pipIndexUrl,
      SERVICE_NPM_REGISTRY: index.npmRegistry,
    }
    const settled = async ({ client }: EngineProcess): Promise<Modules> => {
      await expect.poll(async () => (await client.modules.get()).state, { timeout: 300_000 }).not.toBe('applying')
      return await client.modules.get()
    }
    let engine = await directory.start(env)
    await engine.client.modules.apply({ requirements: manifests[0][0] })
    expect((await settled(engine)).error).toBeNull()
    await publishFlow(engine.client, 'uses', flow)
    await engine.client.http.flows.start({ name: 'uses' })
    for (let kill = 1; kill <= kills; kill += 1) {
      /* oxlint-disable no-await-in-loop -- one life after the other */
      const before = (await engine.client.modules.get()).requirements
      const next = manifests.find(([text]) => text !== before) ?? manifests[0]
      await engine.client.modules.apply({ requirements: next[0] })
      const afterMs = Math.round(random() * LONGEST_MS)
      await pause(afterMs)
      await engine.end('SIGKILL')
      engine = await directory.start(env)
      const found = await settled(engine)
      const [, colour, probe] = manifests.find(([text]) => text === found.requirements) ?? []
      const what = `seed ${seed}, kill ${kill} after ${afterMs} ms`
      expect([what, found.requirements]).toEqual([what, expect.toBeOneOf([before, next[0]])])
      expect([what, found.packages.map(({ version }) => version)]).toEqual([what, [colour, probe]])
      expect([what, npmAt(directory.path)]).toEqual([what, [probe, probe]])
      expect([what, await imported(engine, kill)]).toEqual([what, colour])
      if (found.error !== null) expect(found.error).toContain('the engine ended while it applied modules')
      expect([what, found.state === 'failed' && found.requirements === next[0]]).toEqual([what, false])
      await expect.poll(() => processesWith(join(directory.path, 'modules', 'work'))).toEqual([])
      /* oxlint-enable no-await-in-loop */
    }
    for (const ecosystem of ['python', 'npm', 'generations']) {
      // oxlint-disable-next-line no-await-in-loop -- three folders
      await expect.poll(() => readdirSync(join(directory.path, 'modules', ecosystem))).toHaveLength(1)
    }
    await engine.end('SIGTERM')
  })
})
