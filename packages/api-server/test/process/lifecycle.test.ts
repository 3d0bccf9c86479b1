import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { createService } from '../../src/index.ts'
import { Lifecycle } from '../../src/process/lifecycle.ts'

test('what is open is closed in reverse order, also when one of it fails to close', async () => {
  const lifecycle = new Lifecycle()
  const closed: string[] = []
  for (const name of ['first', 'second', 'third']) {
    await lifecycle.open(
      async () => name,
      (opened) => {
        closed.push(opened)
        if (opened === 'second') throw new Error('it does not close')
      },
    )
  }
  await lifecycle.close()
  expect(closed).toEqual(['third', 'second', 'first'])
})

test('a close waits for what is being opened and closes that too; afterwards nothing can be opened', async () => {
  const lifecycle = new Lifecycle()
  const slow = Promise.withResolvers<string>()
  const closed: string[] = []
  const opening = lifecycle.open(
    () => slow.promise,
    (opened) => closed.push(opened),
  )
  const failing = lifecycle.open(
    () => Promise.reject(new Error('it does not open')),
    () => closed.push('never open'),
  )
  const closing = lifecycle.close().then(() => closed.push('everything'))
  await expect(failing).rejects.toThrow('it does not open')
  slow.resolve('slow')
  await closing
  expect(closed).toEqual(['slow', 'everything'])
  expect(await opening).toBe('slow')
  const late = lifecycle.open(
    async () => 'late',
    () => {},
  )
  await expect(late).rejects.toThrow('this service is closed')
})

test('a start that fails while the database opens lets go of the data directory before it says so', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'failed-start-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const options = { dataDir, environment: 'local', logLevel: 'warn' } as const
  const gone = join(dataDir, 'no-flows')
  await expect(createService({ ...options, flows: gone })).rejects.toThrow(`"${gone}" cannot be read; make it`)
  const service = await createService(options)
  await service.close()
})

test('a start without a usable session key makes no database', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'no-key-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const start = createService({ dataDir, environment: 'production', logLevel: 'silent' })
  await expect(start).rejects.toThrow('SERVICE_SESSION_KEY is not set')
  expect(await readdir(dataDir)).toEqual([])
})
