import { describe, expect, test } from 'vitest'

import { hasPostgres } from './components/postgres.ts'
import { DataDirectory } from './engine-process.ts'
import { liveUnderKills, type Outcome } from './live-under-kills.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'
import { useServerDatabases } from './server-databases.ts'

const kills = chosenKills(3)
const seed = chosenSeed()
const timeout = 60_000 + kills * 30_000

async function underKills(env: NodeJS.ProcessEnv): Promise<Outcome> {
  console.log(`SEED=${seed} KILLS=${kills}`)
  using data = new DataDirectory()
  return liveUnderKills(data, { env, kills, random: randomFrom(seed) })
}

const sound = { lost: [], repeated: [], otherReasons: [] }

test(
  'kills lose no durable arrival, timer, held delivery or published value, and repeat nothing that must not be: embedded [N4, F43]',
  async () => {
    const outcome = await underKills({})
    expect(outcome).toMatchObject(sound)
    expect(Math.min(outcome.orders, outcome.notes, outcome.items)).toBeGreaterThan(kills)
    expect(outcome.publishes).toBeGreaterThan(0)
  },
  timeout,
)

describe.skipIf(!hasPostgres())('on a PostgreSQL server', () => {
  const databases = useServerDatabases()

  test(
    'kills lose no durable arrival, timer, held delivery or published value, and repeat nothing that must not be: server [N4, F43]',
    async () => {
      const outcome = await underKills(await databases.env('kills'))
      expect(outcome).toMatchObject(sound)
      expect(Math.min(outcome.orders, outcome.notes, outcome.items)).toBeGreaterThan(kills)
      expect(outcome.publishes).toBeGreaterThan(0)
    },
    timeout,
  )
})
