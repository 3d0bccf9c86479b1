import type { EngineList } from '@flow-service/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'

import { runService } from './cli-process.ts'
import { findPostgres } from './components/postgres.ts'
import { alarmFlow, publishFlow } from './documents.ts'
import { DataDirectory } from './engine-process.ts'
import { useServerDatabases } from './server-databases.ts'
import { startService } from './service.ts'

test('on the embedded database there is one engine, and how there can be several is told', async () => {
  await using at = await startService({ python: 'no-such-python' })
  await publishFlow(at.client, 'alarm', alarmFlow)
  await at.client.flows.start('alarm')
  const engines = (...args: string[]) =>
    runService(['engines', ...args], { cwd: at.dataDir, env: { SERVICE_DATA_DIR: at.dataDir } })
  const { code, out } = await engines()
  expect([code, out.split('\n')]).toEqual([
    0,
    [
      'One engine, which has its database to itself:',
      expect.stringMatching(/^ {2}\S+\/\d+, version \d\S+, since \S+, with 1 live flow$/),
      expect.stringContaining('service move --help'),
      '',
    ],
  ])
  expect(JSON.parse((await engines('list', '--json')).out)).toEqual(await at.client.engines.list())
  const word = await engines('lst')
  expect([word.code, word.err]).toEqual([2, expect.stringContaining('Did you mean list or ls?')])
})

describe.skipIf(!findPostgres())('on a PostgreSQL server', () => {
  const databases = useServerDatabases()

  test('each engine is a line, with its live flows; one that was killed is no more once its lease is over', async () => {
    using data = new DataDirectory()
    using elsewhere = new DataDirectory()
    const env = { ...(await databases.env('listed')), SERVICE_ARTIFACTS_DIR: `${data.path}/shared` }
    const [one, two] = [await data.start(env), await elsewhere.start(env)]
    onTestFinished(async () => {
      await Promise.all([one, two].map((engine) => engine.end('SIGKILL')))
    })
    await publishFlow(one.client, 'alarm', alarmFlow)
    await one.client.flows.start('alarm')
    const engines = (...args: string[]) =>
      runService(['engines', ...args], { cwd: data.path, env: { SERVICE_DATA_DIR: data.path } })
    const list = async () => (JSON.parse((await engines('--json')).out) as EngineList).engines.map(({ self }) => self)
    await expect.poll(list).toEqual([true, false])
    const { code, out } = await engines()
    expect([code, out.split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(/^NAME +VERSION +FLOWS +LEASE +LINK +SINCE +ADDRESS$/),
        expect.stringMatching(/^\S+\/\d+ .* this one .*\/api\/v1$/),
        expect.stringMatching(/^\S+\/\d+ .* (?:up|down|none)\b.*\/api\/v1$/),
        '1 live flow to run.',
        '',
      ],
    ])
    await two.end('SIGKILL')
    await expect.poll(list).toEqual([true])
  })
})
