import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { readDatabase } from '../packages/api-server/test/backend.ts'
import { freePort } from './components/free-port.ts'
import { DeviceClient, poll, startPairing } from './device-client.ts'
import { DeviceLoad } from './device-load.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'
import { underKills } from './under-kills.ts'

const kills = chosenKills(3)
const seed = chosenSeed()
/** Boards start their pairing from an address of their own each, as the proxy says. */
const behindProxy = { SERVICE_TRUST_PROXY: '1' }

test(
  'kills leave requests of pairing, credentials, names and published values of devices as they were acknowledged [R124, R434]',
  async () => {
    console.log(`SEED=${seed} KILLS=${kills}`)
    using data = new DataDirectory()
    const load = new DeviceLoad()
    const random = randomFrom(seed)
    const { acknowledged, wrong } = await underKills(data, [load], { name: 'devices', env: behindProxy, kills, random })
    expect(wrong).toEqual([])
    expect(acknowledged).toBeGreaterThan(kills * 5)
  },
  60_000 + kills * 30_000,
)

/** A board at an engine: asked, adopted. */
async function adopted(engine: EngineProcess, id: string) {
  await engine.client.http.devices.create({ id })
  const request = await startPairing(engine)
  await engine.client.http.devices.pair({ id, body: { code: request.code } })
  return request
}
const ask = (engine: EngineProcess, { code, secret }: Awaited<ReturnType<typeof adopted>>) => poll(engine, code, secret)

test('a credential is polled again after a kill until its first use, or until ten minutes are over, and never after [R434, T41]', async () => {
  using data = new DataDirectory()
  const first = await data.start(behindProxy)
  const [used, late] = [await adopted(first, 'used'), await adopted(first, 'late')]
  const credential = (await ask(first, used)).device?.credential ?? ''
  await first.end('SIGKILL')

  const second = await data.start(behindProxy)
  expect((await ask(second, used)).device?.credential).toBe(credential)
  expect((await ask(second, late)).device?.credential).toMatch(/^[\w-]{43}$/)
  await (await DeviceClient.connect(second, credential)).close()
  await expect(ask(second, used)).rejects.toThrow('404')
  await second.end('SIGKILL')

  await readDatabase(data.path, (sql) => sql`update pairing_request set expires_at = now()`)
  const third = await data.start(behindProxy)
  for (const request of [used, late]) await expect(ask(third, request)).rejects.toThrow('404')
  await (await DeviceClient.connect(third, credential)).close()
  expect(await third.end('SIGTERM')).toBe(0)
})

/** A device by the rule of the SDKs: it tries again after 1 to 30 s. */
class Returning {
  readonly #clock: VirtualClock
  readonly #random: () => number
  readonly #credential: string
  readonly #at: { baseUrl: string }
  client: DeviceClient | null = null
  attempts = 0

  constructor(at: { baseUrl: string }, credential: string, clock: VirtualClock, random: () => number) {
    this.#at = at
    this.#credential = credential
    this.#clock = clock
    this.#random = random
    void this.#try()
  }

  async #try(): Promise<void> {
    this.attempts++
    try {
      const client = await DeviceClient.connect(this.#at, this.#credential)
      this.client = client
      await client.closed
    } catch {
      // nobody listens now
    }
    this.client = null
    this.#clock.setTimer(1_000 + this.#random() * 29_000, () => void this.#try())
  }
}

test('devices are back within 30 s of their own clocks after an engine listens again, at their first attempt', async () => {
  using data = new DataDirectory()
  const port = String(await freePort())
  const first = await data.start(behindProxy, port)
  const clock = new VirtualClock(0)
  const random = randomFrom(seed)
  const devices: Returning[] = []
  for (const id of Array.from({ length: 10 }, (_, at) => `device${at}`)) {
    const { device } = await ask(first, await adopted(first, id))
    devices.push(new Returning(first, device?.credential ?? '', clock, random))
  }
  const online = (): number => devices.filter(({ client }) => client !== null).length
  await expect.poll(online).toBe(devices.length)
  await first.end('SIGKILL')
  await expect.poll(() => clock.pending).toBe(devices.length)
  await clock.advance(30_000)
  await expect.poll(() => clock.pending).toBe(devices.length)

  const second = await data.start(behindProxy, port)
  const before = devices.reduce((sum, { attempts }) => sum + attempts, 0)
  await clock.advance(30_000)
  await expect.poll(online).toBe(devices.length)
  expect(devices.reduce((sum, { attempts }) => sum + attempts, 0) - before).toBe(devices.length)
  for (const { client } of devices) await client?.close()
  expect(await second.end('SIGTERM')).toBe(0)
})
