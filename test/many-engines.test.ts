import { describe, test } from 'vitest'

import { hasPostgres } from './components/postgres.ts'
import { faults, ManyEngines } from './many-engines.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'
import { useServerDatabases } from './server-databases.ts'

const count = chosenKills(25)
const seed = chosenSeed()

describe.skipIf(!hasPostgres())('three engines on a PostgreSQL server', () => {
  const databases = useServerDatabases()

  test(
    'whatever fails, no two engines act for a flow, what was promised is done once, and every flow goes on (many-engines.M1-M6)',
    async ({ expect }) => {
      const random = randomFrom(seed)
      const env = await databases.env('many')
      await using many = await ManyEngines.open({ server: databases.server(), env, random })
      const begun = performance.now()
      for (let at = 0; at < count; at++) {
        const fault = faults[at < faults.length ? at : Math.floor(random() * faults.length)] ?? 'kill'
        await many.fail(fault)
        if ((at + 1) % 10 === 0) console.log(`SEED=${seed}: ${at + 1} of ${count} faults; ${many.progress()}`)
      }
      const outcome = await many.settle()
      console.log(`SEED=${seed} KILLS=${count}, ${Math.round((performance.now() - begun) / 1000)} s:`, outcome)
      expect(outcome).toMatchObject({
        doubled: [],
        lost: [],
        unread: [],
        unaccounted: [],
        repeated: [],
        unexpected: [],
        silent: [],
        unowned: [],
        wrongAnswers: [],
        errors: [],
      })
      expect(outcome.changes).toBeGreaterThan(0)
      expect(outcome.moves).toBeGreaterThan(0)
    },
    180_000 + count * 60_000,
  )
})
