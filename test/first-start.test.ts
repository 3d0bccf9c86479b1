import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { publishFlow, scaleFlow } from './documents.ts'
import { DataDirectory, serviceCommand } from './engine-process.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'

const rounds = chosenKills(1)
const seed = chosenSeed()
/** Most of a start is the compilation of the engine. */
const env = { NODE_COMPILE_CACHE: join(tmpdir(), 'flow-service-compiled') }

/** What a first start makes, and for how long it goes on with what comes next, in milliseconds. */
const stages = [
  ['engine.pid', 100],
  ['db.new', 150],
  // the tables
  ['db', 1200],
  // the first account, and the sign-in of this machine
  ['secret.key', 900],
] as const

/** Starts an engine for the first time and kills it so many milliseconds after a file has appeared. */
async function killAt(path: string, file: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, serviceCommand('serve', '--port', '0', '--data', path), {
    env: { ...process.env, SERVICE_LOG_LEVEL: 'warn', SERVICE_ENVIRONMENT: 'local', ...env },
    stdio: 'ignore',
  })
  const exit = once(child, 'exit')
  await expect.poll(() => existsSync(join(path, file)), { interval: 1 }).toBe(true)
  setTimeout(() => child.kill('SIGKILL'), afterMs)
  expect((await exit)[1]).toBe('SIGKILL')
}

test(
  'whatever a first start was at when it was killed, the next one completes it and leaves no rest [F11]',
  async () => {
    console.log(`SEED=${seed} KILLS=${rounds}`)
    const random = randomFrom(seed)
    using whole = new DataDirectory()
    expect(await (await whole.start(env)).end('SIGTERM')).toBe(0)
    const made = readdirSync(whole.path).toSorted()

    const begun = async ([file, lastsMs]: (typeof stages)[number]): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        using data = new DataDirectory()
        const afterMs = random() * lastsMs
        const told = `${file} + ${Math.round(afterMs)} ms`
        await killAt(data.path, file, afterMs)
        const engine = await data.start(env)
        await publishFlow(engine.client, 'scale', scaleFlow)
        await engine.client.http.secrets.set({ name: 'token', value: 'kept' })
        const { id } = await engine.client.http.runs.submit({ name: 'scale' })
        expect([told, (await engine.client.wait(id)).status]).toEqual([told, 'ok'])
        const headers = { authorization: `Bearer ${engine.token}` }
        const health = async () => (await fetch(`${engine.baseUrl}/utils/health/`, { headers })).status
        // a machine that is busy with the starts of others may answer late
        await expect.poll(health, { message: told }).toBe(200)
        expect([told, await engine.end('SIGTERM')]).toEqual([told, 0])
        expect([told, readdirSync(data.path).toSorted()]).toEqual([told, made])
      }
    }
    await Promise.all(stages.map(begun))
  },
  120_000 + rounds * 60_000,
)
