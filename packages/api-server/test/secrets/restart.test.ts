/** What the next engine on a database finds of secrets, and of what flows held of them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { liveFlow, secret, t } from '@flow-service/flow-sdk'
import { http } from '@flow-service/node-types/flow'
import type { FlowDocumentInput, FlowListItem } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { openDatabase } from '../../src/db/database.ts'
import { Redactor } from '../../src/secrets/redactor.ts'
import { openSecrets } from '../../src/secrets/secrets.ts'
import { createService } from '../../src/service.ts'
import { databaseAt } from '../backend.ts'
import { startService, type TestService } from '../observability/service.ts'
import { quiet } from '../use-database.ts'

test('who listens for changes late hears of those since the opening, and a failure of it is no failure of the start', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'secrets-late-'))
  const database = await openDatabase({ ...(await databaseAt(dataDir)), log: quiet })
  const config = { dataDir, environment: 'local', secretKey: 'a key for secrets of at least 32 bytes' } as const
  const errors: object[] = []
  const log = { error: (fields: object) => errors.push(fields) }
  const opened = () => openSecrets({ config, database, redactor: new Redactor(), log })
  const change = { by: 'root@example.org', audit: async () => {} }
  const first = await opened()
  await first.put('before', 'a value from before', change)
  await first.close()
  const secrets = await opened()
  await secrets.put('late', 'one value', change)
  await secrets.put('late', 'another value', change)
  const heard: (readonly string[])[] = []
  await secrets.onChange(async (names) => {
    heard.push(names)
    throw new Error('flows could not be built')
  })
  expect([heard, errors]).toMatchObject([[['late']], [{ secrets: ['late'] }]])
  await secrets.put('later', 'a third value', change)
  expect(heard).toEqual([['late'], ['later']])
  await secrets.close()
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})

describe('a restart', () => {
  const read = ({ engine }: TestService) =>
    engine.database.sql`select name, encode(sealed, 'hex') as sealed, updated_at from secret order by name`

  test('and a new value each start a flow in TypeScript whose secret was missing, unless it was stopped since', async () => {
    const gated = (name: string) =>
      liveFlow(
        name,
        {},
        (_, use) => void use(http.webhook({ url: 'in', out: { n: t.int }, secret: secret(name) }), {}, { id: 'hook' }),
      )
    const options = { flows: ['now', 'late', 'never'].map(gated) }
    const first = await startService(options)
    const states = async ({ ann }: TestService) =>
      (await ann<FlowListItem[]>('GET', '/flows/')).value.map(({ name, status }) => [name, status])
    for (const name of ['now', 'late', 'never']) {
      const { problem } = await first.root('POST', `/flows/${name}/start`)
      expect(problem).toMatchObject({ code: 'flow_invalid', errors: [{ code: 'unknown_secret' }] })
    }
    await first.root('POST', '/flows/never/stop')
    const waiting = ['late', 'failed']
    expect(await states(first)).toEqual([waiting, ['never', 'stopped'], ['now', 'failed']])
    await first.root('PUT', '/secrets/now', { value: 'a first word' })
    await first.root('PUT', '/secrets/never', { value: 'a second word' })
    expect(await states(first)).toEqual([waiting, ['never', 'stopped'], ['now', 'active']])
    await first.close()

    await using second = await startService({ ...options, dataDir: first.dataDir })
    expect(await states(second)).toEqual([waiting, ['never', 'stopped'], ['now', 'active']])
    await second.root('PUT', '/secrets/late', { value: 'a third word' })
    expect(await states(second)).toEqual([
      ['late', 'active'],
      ['never', 'stopped'],
      ['now', 'active'],
    ])
  })

  test('finds the values, without one whose bytes were changed; with another key there is none, and nothing changes [T82]', async () => {
    const first = await startService()
    const { dataDir } = first
    await first.root('PUT', '/secrets/good', { value: 'a good value' })
    await first.root('PUT', '/secrets/spoilt', { value: 'a spoilt value' })
    await first.engine.database.sql`
      update secret set sealed = (select sealed from secret where name = 'good') where name = 'spoilt'`
    const before = [...(await read(first))]
    await first.close()

    const otherKey = 'another key for secrets of at least 32 bytes'
    const refused = createService({ ...place(await databaseAt(dataDir)), secretKey: otherKey })
    await expect(refused).rejects.toThrow(
      /^the secrets of this database are sealed under the key [0-9a-f]{16}, and SERVICE_SECRET_KEY holds [0-9a-f]{16}: /,
    )

    await using second = await startService({ dataDir })
    expect([...(await read(second))]).toEqual(before)
    const { secrets } = second.engine
    expect([secrets.valueOf('good'), secrets.valueOf('spoilt')]).toEqual(['a good value', undefined])
    expect(await secrets.names()).toEqual(['good', 'spoilt'])
    await second.root('PUT', '/secrets/spoilt', { value: 'stored again' })
    expect(secrets.valueOf('spoilt')).toBe('stored again')
  })
})

const canary = 'canary "value" of a secret'
const input = (name: string) => ({ direction: 'input', name }) as const
const output = (name: string) => ({ direction: 'output', name }) as const

describe('what a flow holds', () => {
  /** Says which values came to it as they are, without saying them. */
  const told: FlowDocumentInput = {
    inputs: [{ name: 'on' }],
    nodes: [
      {
        id: 'tell',
        type: 'change',
        settings: { mapping: { [canary]: 'the value itself' } },
        ports: [input('on'), output('told')],
      },
      { id: 'later', type: 'delay', settings: { delay: 3600 }, ports: [input('told'), output('late')] },
    ],
  }

  test('lies sealed in the database when it holds a value, and goes on as it was after a restart [T80] [T82]', async () => {
    const first = await startService()
    const { dataDir } = first
    await first.root('PUT', '/secrets/held', { value: canary })
    await first.publish('told', told)
    await first.root('POST', '/flows/told/start')
    await first.root('POST', '/flows/told/pause')
    for (const value of [canary, { deep: [`Bearer ${canary}`] }, 'nothing of it'])
      await first.root('POST', '/messages/told.on', { value })
    const stored = async ({ engine }: TestService): Promise<string[]> =>
      (await engine.database.sql<{ body: string }[]>`select body from live_work order by position`).map(
        ({ body }) => body,
      )
    await expect.poll(async () => (await stored(first)).length).toBe(3)
    const [one, other, plain] = await stored(first)
    for (const body of [one, other]) {
      expect(body).toMatch(/^sealed:[A-Za-z0-9+/]+=*$/)
      expect(Buffer.from(String(body).slice(7), 'base64').toString('latin1')).not.toContain('canary')
    }
    expect(plain).toContain('nothing of it')
    await first.close()

    await using second = await startService({ dataDir })
    expect(await stored(second)).toEqual([one, other, plain])
    const valueOf = async () =>
      (await second.ann<{ name: string; value: unknown }[]>('GET', '/messages/')).value.find(
        ({ name }) => name === 'told.told',
      )?.value
    await second.root('POST', '/flows/told/step')
    await expect.poll(valueOf).toBe('the value itself')
    await second.root('POST', '/flows/told/resume')
    await expect.poll(valueOf).toBe('nothing of it')
  })
})

const place = (database: Awaited<ReturnType<typeof databaseAt>>) =>
  ({ ...database, environment: 'local', logLevel: 'silent', sessionKey: 'a session key of at least 32 bytes' }) as const
