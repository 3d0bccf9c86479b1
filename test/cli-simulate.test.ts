/** `service device simulate` without a terminal, against a service: lines in, lines out. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test, vi } from 'vitest'

import { begin, runService } from './cli-process.ts'
import { publish, startService, type TestService } from './service.ts'

vi.setConfig({ testTimeout: 300_000 })

const folder = mkdtempSync(join(tmpdir(), 'cli-simulate-'))
let at: TestService
beforeAll(async () => {
  at = await startService({ flows: join(import.meta.dirname, 'docs', 'device-flows') })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const place = () => ({ cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir, XDG_CONFIG_HOME: folder } })

/** A simulation as a process. */
class Simulation {
  readonly #process: ChildProcessWithoutNullStreams
  #said = ''

  constructor(...args: string[]) {
    this.#process = begin(['device', 'simulate', ...args], place())
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream.on('data', (text: string) => (this.#said += text))
  }

  type(line: string): void {
    this.#process.stdin.write(`${line}\n`)
  }

  /** What it has said once it has said something like this; said before counts not. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#said)
      if (found) {
        this.#said = this.#said.slice(found.index + found[0].length)
        return found
      }
      // oxlint-disable-next-line no-await-in-loop -- until it is said
      await Promise.race([
        once(this.#process.stdout, 'data'),
        once(this.#process.stderr, 'data'),
        once(this.#process, 'exit').then(() => Promise.reject(new Error(`it has ended: ${this.#said}`))),
      ])
    }
  }

  async end(): Promise<number | null> {
    const ended = once(this.#process, 'close') as Promise<[number | null]>
    this.#process.kill('SIGINT')
    return (await ended)[0]
  }
}

async function adopt(simulation: Simulation, id: string): Promise<void> {
  const [, code = '', check = ''] = await simulation.says(/code ([A-Z\d]{8}), check ([A-Z\d]{2})\n/)
  const { code: exit, err } = await runService(['devices', 'pair', code, '--as', id, '--yes', '--wait', '200'], place())
  expect([exit, err]).toEqual([0, expect.stringContaining(`check ${check}\n`)])
}

test('a simulated panel pairs, tells what is typed, hears its flow, and comes back as the same device [R129, R130, R434]', async () => {
  await at.send('POST', '/flows/hall/start')
  const panel = new Simulation()
  await adopt(panel, 'hall-panel')
  await panel.says(/^online$/m)
  expect(await at.client.http.devices.get({ id: 'hall-panel' })).toMatchObject({
    name: 'Hall panel',
    board: 'hall-panel',
    online: true,
    io: [{ name: 'motion' }, { name: 'lux' }, { name: 'relay1' }, { name: 'backlight' }],
  })
  await panel.says(/^-> lux = 120$/m)
  panel.type('lux=40.5')
  await panel.says(/^-> lux = 40\.5$/m)
  panel.type('motion=on')
  await panel.says(/^<- relay1 = true$/m)
  panel.type('lux=bright')
  await panel.says(/^error: "bright" is no value of lux, which is a float$/m)
  panel.type('relay1=on')
  await panel.says(/^error: write name=value, with a name of: motion, lux$/m)
  expect(await panel.end()).toBe(0)

  const [file = ''] = readdirSync(join(folder, 'flow-service', 'devices'))
  const kept = join(folder, 'flow-service', 'devices', file)
  expect(statSync(kept).mode & 0o777).toBe(0o600)
  const again = new Simulation()
  await again.says(/^online$/m)
  expect(await again.end()).toBe(0)

  const { credential } = JSON.parse(readFileSync(kept, 'utf8')) as { credential: string }
  writeFileSync(
    kept,
    JSON.stringify({ url: at.baseUrl, id: 'hall-panel', name: 'Hall panel', credential: `${credential}x` }),
  )
  const refused = new Simulation()
  await refused.says(/^code /m)
  expect(await refused.end()).toBe(0)
})

test('a simulated camera sends pictures while somebody wants them, and asks anew when it is unpaired [R435]', async () => {
  await publish(at, 'porch', {
    mode: 'live',
    nodes: [
      {
        id: 'eye',
        type: 'device',
        settings: { device: 'door' },
        ports: [{ direction: 'output', name: 'picture', port: 'camera', dtype: 'image', on_demand: true }],
      },
      {
        id: 'keep',
        type: 'rbe',
        ports: [
          { direction: 'input', name: 'picture', dtype: 'image' },
          { direction: 'output', name: 'kept', dtype: 'image' },
        ],
      },
    ],
  })
  const camera = new Simulation('--board', 'camera', '--name', 'Camera at the door')
  await adopt(camera, 'door')
  await camera.says(/^online$/m)
  const picture = async () =>
    (await at.client.messages.list()).find(({ name }) => name === 'porch.picture')?.value as { digest: string } | null
  expect(await picture()).toBeNull()
  await at.send('POST', '/flows/porch/start')
  await camera.says(/^wanted: camera$/m)
  await expect.poll(picture).toMatchObject({ media_type: 'image/png' })
  await at.client.http.devices.unpair({ id: 'door' })
  await camera.says(/^code /m)
  expect(await camera.end()).toBe(0)
})

test('an engine that does not answer is waited for, and that is said', async () => {
  const nobody = createServer().listen(0, '127.0.0.1')
  await once(nobody, 'listening')
  const url = `http://127.0.0.1:${(nobody.address() as AddressInfo).port}`
  await new Promise((resolve) => nobody.close(resolve))
  const waiting = new Simulation('--url', url)
  await waiting.says(/ does not answer; it is asked until it does\.$/m)
  expect(await waiting.end()).toBe(0)
})

test('an address that is none is refused, and so is a board that nobody simulates', async () => {
  const { code, err } = await runService(['device', 'simulate', '--url', 'hub'], place())
  expect([code, err]).toEqual([2, 'error: "hub" is no address of an engine; write it like http://hub:8000\n'])
  expect((await runService(['device', 'simulate', '--board', 'toaster'], place())).code).toBe(2)
})
