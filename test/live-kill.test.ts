import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findPostgres, hasPostgres, type PostgresServer, startPostgres } from './components/postgres.ts'
import { DataDirectory } from './engine-process.ts'
import { liveUnderKills, type Outcome } from './live-under-kills.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'

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
  'kills lose no durable arrival, timer, held delivery or published value, and repeat nothing that must not be: embedded [N4]',
  async () => {
    const outcome = await underKills({})
    expect(outcome).toMatchObject(sound)
    expect(Math.min(outcome.orders, outcome.items)).toBeGreaterThan(kills)
  },
  timeout,
)

describe.skipIf(!hasPostgres())('on a PostgreSQL server', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(findPostgres() ?? '')
  })
  afterAll(() => server.stop())

  test(
    'kills lose no durable arrival, timer, held delivery or published value, and repeat nothing that must not be: server [N4]',
    async () => {
      const outcome = await underKills({
        SERVICE_DATABASE_URL: await server.createDatabase('kills'),
        SERVICE_SESSION_KEY: 'a session key of at least 32 bytes',
        SERVICE_SECRET_KEY: 'a key for secrets of at least 32 bytes',
        SERVICE_FIRST_SUPERUSER: 'root@example.org',
        SERVICE_FIRST_SUPERUSER_PASSWORD: 'correct horse',
      })
      expect(outcome).toMatchObject(sound)
      expect(Math.min(outcome.orders, outcome.items)).toBeGreaterThan(kills)
    },
    timeout,
  )
})
