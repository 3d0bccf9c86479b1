import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterAll, expect, test } from 'vitest'

import { openDatabase } from '../../src/db/database.ts'
import { keepingLog } from './log.ts'

const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'flow-service-kill-'))
afterAll(() => fs.rmSync(dataDir, { recursive: true, force: true }))

/** Lets a child process write until `count` commits are told, kills it with SIGKILL, and returns all it told. */
async function killAfter(round: number, count: number): Promise<number[]> {
  const writer = fileURLToPath(new URL('writer.ts', import.meta.url))
  const child = spawn(process.execPath, [writer, dataDir, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.split('\n').length > count) child.kill('SIGKILL')
  })
  await once(child, 'close')
  // A last line without its end was not told.
  return output.split('\n').slice(0, -1).map(Number)
}

test('no acknowledged row is lost in 5 kills of a writing engine', async () => {
  const told: number[][] = []
  for (let round = 0; round < 5; round++) {
    // oxlint-disable-next-line no-await-in-loop -- each starts on what the one before has left
    told.push(await killAfter(round, 30 + round * 70))
  }
  expect(told.every((numbers) => numbers.length >= 30)).toBe(true)

  const database = await openDatabase({ dataDir, log: keepingLog() })
  const rows = await database.sql<{ round: number; n: number }[]>`select round, n from ledger`
  await database.close()
  const kept = new Set(rows.map(({ round, n }) => `${round}/${n}`))
  const lost = told.flatMap((numbers, round) => numbers.map((n) => `${round}/${n}`)).filter((row) => !kept.has(row))
  expect(lost).toEqual([])
}, 120_000)
