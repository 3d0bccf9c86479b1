import { describe, test } from 'vitest'

import { hasPostgres } from './components/postgres.ts'
import { DataDirectory, processesWith } from './engine-process.ts'
import { Ledger } from './ledger.ts'
import { RunLoad } from './run-load.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'
import { useServerDatabases } from './server-databases.ts'
import { underKills } from './under-kills.ts'
import { WriteLoad } from './write-load.ts'

const kills = chosenKills(8)
const seed = chosenSeed()
const timeout = 180_000 + kills * 15_000
/** In the environment of every engine, and so of every process that it starts. */
const MARK = 'LEDGER_KILL_TEST_MARK'

async function underLoad(name: string, env: NodeJS.ProcessEnv) {
  const begun = performance.now()
  using data = new DataDirectory()
  await using ledger = await Ledger.open(() => 0)
  const runs = new RunLoad(ledger)
  const { acknowledged, wrong } = await underKills(data, [new WriteLoad(), runs], {
    name,
    env: { ...env, [MARK]: data.path },
    kills,
    random: randomFrom(seed),
  })
  const tookS = Math.round((performance.now() - begun) / 1000)
  console.log(`SEED=${seed} KILLS=${kills}: ${acknowledged} writes, ${runs.succeeded} runs ok, ${tookS} s`)
  const left = process.platform === 'linux' ? processesWith(`${MARK}=${data.path}`) : []
  return { wrong, left, isEnough: acknowledged > kills * 5 && runs.succeeded > kills * 2 }
}

const sound = { wrong: [], left: [], isEnough: true }

describe.concurrent('engines that are killed again and again', () => {
  test(
    'lose no document, bytes, value, run or sweep that was acknowledged, execute no run twice and leave no process: embedded [F1, F3, F4, N1, N2, N3, N5, N7]',
    async ({ expect }) => expect(await underLoad('embedded', {})).toEqual(sound),
    timeout,
  )

  describe.skipIf(!hasPostgres())('on a PostgreSQL server', () => {
    const databases = useServerDatabases()

    test(
      'lose no document, bytes, value, run or sweep that was acknowledged, execute no run twice and leave no process: server [F1, F3, F4, N1, N2, N3, N5, N7]',
      async ({ expect }) => expect(await underLoad('server', await databases.env('ledger'))).toEqual(sound),
      timeout,
    )
  })
})
