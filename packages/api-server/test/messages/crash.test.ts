import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

import { openDatabase } from '../../src/db/database.ts'
import { openLastValues } from '../../src/messages/last-values.ts'
import { databaseAt } from '../backend.ts'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Runs a publisher, kills it after `count` acknowledgements, and answers what it had acknowledged. */
async function killAfter(count: number, dataDir: string): Promise<number[]> {
  const publisher = fileURLToPath(new URL('publisher.ts', import.meta.url))
  const place = JSON.stringify(await databaseAt(dataDir))
  const child = spawn(process.execPath, ['--conditions=@flow-service/source', publisher, place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.split('\n').length > count) child.kill('SIGKILL')
  })
  await once(child, 'close')
  // a last line without its end was not told
  return output.split('\n').slice(0, -1).map(Number)
}

test('an acknowledged publication survives the death of the engine, as last value and in the history', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'crash-'))
  const acknowledged = await killAfter(100, dataDir)
  expect(acknowledged.length).toBeGreaterThanOrEqual(100)

  const database = await openDatabase({ ...(await databaseAt(dataDir)), log: quiet })
  const artifacts = { addRefs: async () => undefined, dropRefs: async () => undefined, moveRefs: async () => undefined }
  const values = await openLastValues({ database, artifacts, log: quiet })
  const history = await values.history('crash.x', { limit: 1000 })
  const kept = new Set(history.map(({ value }) => Number(value)))
  expect(acknowledged.filter((value) => !kept.has(value))).toEqual([])
  expect(values.get('crash.x')?.value).toBe(Math.max(...kept))

  await values.close()
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
}, 60_000)
