import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { PGlite } from '@electric-sql/pglite'
import { amcheck } from '@electric-sql/pglite/contrib/amcheck'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { openDatabase } from '../../src/db/database.ts'
import { durableStartParams } from '../../src/db/durable-fs.ts'
import { keepingLog } from './log.ts'
import { PowerCutFs } from './power-cut-fs.ts'

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'flow-service-power-'))
const extensions = { amcheck }
const open = (files: PowerCutFs) => PGlite.create({ fs: files, startParams: durableStartParams, extensions })

beforeAll(async () => {
  const database = await openDatabase({ dataDir: path.join(directory, 'base'), log: keepingLog() })
  await database.close()
  const pglite = await open(new PowerCutFs(path.join(directory, 'base/db')))
  await pglite.exec('create extension amcheck; create table ledger (id int primary key, filler text); checkpoint')
  await pglite.close()
})
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

test.each([1, 2, 3, 4, 5])(
  'nothing acknowledged is lost, and the database is sound, after power cut %i',
  async (round) => {
    const data = path.join(directory, `data-${round}`)
    const rest = path.join(directory, `rest-${round}`)
    fs.cpSync(path.join(directory, 'base/db'), data, { recursive: true })
    const files = new PowerCutFs(data)
    const pglite = await open(files)
    const count = 100 * round
    for (let id = 1; id <= count; id++) {
      // oxlint-disable-next-line no-await-in-loop -- each is acknowledged before the next
      await pglite.query('insert into ledger values ($1, $2)', [id, 'x'.repeat((id * 37) % 3_000)])
      // oxlint-disable-next-line no-await-in-loop
      if (id % 90 === 0) await pglite.exec('delete from ledger where id < 0; checkpoint')
    }
    files.cut(rest)
    await pglite.close()

    const found = await open(new PowerCutFs(rest))
    const { rows } = await found.query('select count(*)::int as n from ledger')
    expect(rows).toEqual([{ n: count }])
    await found.query("select bt_index_check('ledger_pkey', true)")
    expect((await found.query("select * from verify_heapam('ledger')")).rows).toEqual([])
    await found.close()
  },
)
