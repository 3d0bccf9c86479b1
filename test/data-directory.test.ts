import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { describe, expect, onTestFinished, test } from 'vitest'

import { findPostgres } from './components/postgres.ts'
import { publishFlow, scaleFlow } from './documents.ts'
import { DataDirectory } from './engine-process.ts'
import { useServerDatabases } from './server-databases.ts'
import { problemOf, publish, startService } from './service.ts'

const sentence =
  'the data directory of the engine was removed, moved or replaced: put it back, then start the engine again'

test('a service whose data directory goes away refuses everything with 503 and why, tells its host once, and makes nothing anew; also when it is back', async () => {
  await using at = await startService()
  await publish(at, 'scale', scaleFlow)
  const elsewhere = `${at.dataDir}.elsewhere`
  renameSync(at.dataDir, elsewhere)
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
  const requests: [string, string, unknown?][] = [
    ['PUT', '/flows/other', { title: 'other' }],
    ['POST', '/flows/scale/run'],
    ['PUT', '/artifacts?name=x', {}],
    ['GET', '/flows/'],
  ]
  const refusals = async () => {
    const answers = []
    // what meets the loss at the same time may say it of the folder of artifacts
    for (const request of requests) answers.push(await at.send(...request))
    return answers.map((answer) => [answer.status, problemOf(answer).detail])
  }
  const allRefused = requests.map(() => [503, sentence])
  expect(await refusals()).toEqual(allRefused)
  expect((await at.service.failed).message).toContain(`${at.dataDir} was removed, moved or replaced`)
  const alive = () => fetch(`${at.origin}/healthz`)
  expect(await (await alive()).json()).toMatchObject({ status: 503, detail: sentence })
  expect((await fetch(`${at.origin}/hooks/a/b`, { method: 'POST', body: '{}' })).status).toBe(503)

  const engines = readdirSync(elsewhere)
  renameSync(elsewhere, at.dataDir)
  expect(await refusals()).toEqual(allRefused)
  expect((await alive()).status).toBe(503)
  await at.close()
  expect(readdirSync(at.dataDir)).toEqual(engines)

  await using again = await startService({ dataDir: at.dataDir })
  expect((await again.send('GET', '/flows/scale')).status).toBe(200)
})

test('an engine whose data directory is removed ends with 1 and one line, leaves none behind, and disturbs no other in a new one', async () => {
  using home = new DataDirectory()
  using data = new DataDirectory(join(home.path, 'data'))
  const engine = await data.start({ SERVICE_LOG_LEVEL: 'error' })
  await publishFlow(engine.client, 'scale', scaleFlow)
  let lines = ''
  let told = ''
  engine.child.stdout?.on('data', (text: string) => (lines += text))
  engine.child.stderr?.on('data', (text: string) => (told += text))
  const closed = once(engine.child, 'close')
  rmSync(data.path, { recursive: true, maxRetries: 5 })
  const [code] = (await closed) as [number | null]
  expect(code).toBe(1)
  const why = `the data directory ${data.path} was removed, moved or replaced while the engine used it`
  expect(told).toContain(`error: the engine is lost: ${why}`)
  expect(lines.split('\n').filter((line) => line.includes('"level":50'))).toEqual([expect.stringContaining(why)])
  expect(existsSync(data.path)).toBe(false)

  const second = await data.start()
  expect(await second.client.flows.list()).toEqual([])
  expect(await second.end('SIGTERM')).toBe(0)
})

test('a service in the data directory of another that was renamed is refused while that one is open [F14]', async () => {
  await using at = await startService()
  const elsewhere = `${at.dataDir}.elsewhere`
  renameSync(at.dataDir, elsewhere)
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
  await expect(createService({ dataDir: elsewhere, environment: 'local', logLevel: 'silent' })).rejects.toThrow(
    `the data directory ${elsewhere} is in use by another engine`,
  )
  // an engine of its own, in a new directory of that name
  mkdirSync(at.dataDir)
  await using other = await startService({ dataDir: at.dataDir })
  await at.service.failed
  await at.close()
  await publish(other, 'scale', scaleFlow)
  expect((await other.send('GET', '/flows/scale')).status).toBe(200)
})

describe.skipIf(!findPostgres())('with a PostgreSQL server', () => {
  const databases = useServerDatabases()

  test('a service whose data directory goes away refuses what it is asked, and leaves none behind', async () => {
    const { SERVICE_DATABASE_URL: databaseUrl } = await databases.env('gone')
    await using at = await startService({ databaseUrl: databaseUrl ?? null })
    rmSync(at.dataDir, { recursive: true, maxRetries: 5 })
    expect((await at.service.failed).message).toContain(`${at.dataDir} was removed, moved or replaced`)
    const answer = await at.send('PUT', '/flows/other', { title: 'other' })
    expect([answer.status, problemOf(answer).detail]).toEqual([503, sentence])
    await at.close()
    expect(existsSync(at.dataDir)).toBe(false)
  })
})
