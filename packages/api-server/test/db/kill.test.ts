import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterAll, expect, test } from 'vitest'

import { openDatabase } from '../../src/db/database.ts'
import { killAfter } from '../killed-teller.ts'
import { keepingLog } from './log.ts'

const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'flow-service-kill-'))
afterAll(() => fs.rmSync(dataDir, { recursive: true, force: true }))

const writer = fileURLToPath(new URL('writer.ts', import.meta.url))

test('no acknowledged row is lost in 5 kills of a writing engine', async () => {
  const told: number[][] = []
  for (let round = 0; round < 5; round++) {
    // oxlint-disable-next-line no-await-in-loop -- each starts on what the one before has left
    told.push(await killAfter(30 + round * 70, [writer, dataDir, String(round)]))
  }
  expect(told.every((numbers) => numbers.length >= 30)).toBe(true)

  const database = await openDatabase({ dataDir, log: keepingLog() })
  const rows = await database.sql<{ round: number; n: number }[]>`select round, n from ledger`
  await database.close()
  const kept = new Set(rows.map(({ round, n }) => `${round}/${n}`))
  const lost = told.flatMap((numbers, round) => numbers.map((n) => `${round}/${n}`)).filter((row) => !kept.has(row))
  expect(lost).toEqual([])
})
