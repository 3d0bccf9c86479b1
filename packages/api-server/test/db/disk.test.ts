import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { SmallDisk } from '../../../../test/components/small-disk.ts'

interface Answer {
  readonly id: number
  readonly rows?: Record<string, unknown>[]
  readonly code?: string
  readonly message?: string
}

/** The database of a disk in a process of its own. */
class DatabaseProcess {
  readonly child: ChildProcess
  /** Resolves with what the database says when it is lost for good. */
  readonly failed: Promise<string>
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  private constructor(child: ChildProcess) {
    this.child = child
    this.failed = new Promise((resolve) => {
      child.on('message', (message: Answer & { failed?: string }) => {
        if (message.failed) resolve(message.failed)
        this.#waiting.get(message.id)?.(message)
      })
    })
  }

  static async open(disk: SmallDisk): Promise<DatabaseProcess> {
    const program = fileURLToPath(new URL('sql-process.ts', import.meta.url))
    const child = spawn(process.execPath, [program, path.join(disk.path, 'data')], {
      env: { ...process.env, ...disk.env },
      stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
    })
    children.add(child)
    const opened = new DatabaseProcess(child)
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('the database did not open')))
    ended.catch(() => {})
    await Promise.race([once(child, 'message'), ended])
    return opened
  }

  /** The rows of a statement, or its SQLSTATE. */
  async run(text: string): Promise<unknown> {
    const { rows, code } = await this.answer(text)
    return rows ?? code
  }

  answer(text: string): Promise<Answer> {
    return new Promise((resolve) => {
      const id = ++this.#lastId
      this.#waiting.set(id, resolve)
      this.child.send({ id, text })
    })
  }

  /** Closes the database and resolves with the exit code of its process. */
  async close(): Promise<unknown> {
    const exit = once(this.child, 'exit')
    this.child.disconnect()
    return (await exit)[0]
  }

  async kill(): Promise<void> {
    const exit = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await exit
  }
}

const children = new Set<ChildProcess>()
let disk: SmallDisk
beforeEach(() => {
  disk = new SmallDisk(128)
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  disk[Symbol.dispose]()
})

/** Repeats a statement until it is refused, and tells how: `text` gets the number of the attempt. */
async function untilRefused(database: DatabaseProcess, text: (n: number) => string) {
  for (let n = 1; n <= 2_000; n++) {
    const refused = await database.run(text(n))
    if (!Array.isArray(refused)) return { refused, acknowledged: n - 1 }
  }
  throw new Error('nothing was refused')
}

test('while its disk is full it refuses writes and answers reads, also after a kill, and goes on when there is space [F23]', async () => {
  let database = await DatabaseProcess.open(disk)
  await database.run(
    `create table item (id int, text text); create table counter (n int, filler text) with (fillfactor = 30);
     insert into counter select 0, repeat('y', 700) from generate_series(1, 400)`,
  )
  const count = (n: number) => `update counter set n = ${n}`
  for (const n of [-3, -2]) await database.run(count(n))
  disk.fill()
  const grow = (n: number) => `insert into item select ${n}, repeat('x', 1000) from generate_series(1, 100)`
  const grown = await untilRefused(database, grow)
  expect(grown.refused).toBe('53100')

  // what is in place can change for as long as the log has room; its last room is the reserve
  const counted = await untilRefused(database, count)
  expect(counted.refused).toBe('25006')
  const kept = async () => [
    await database.run('select distinct n from counter'),
    await database.run('select count(distinct id)::int as n, count(*)::int as rows from item'),
  ]
  const acknowledged = [[{ n: counted.acknowledged }], [{ n: grown.acknowledged, rows: grown.acknowledged * 100 }]]
  expect(await kept()).toEqual(acknowledged)

  await database.kill()
  database = await DatabaseProcess.open(disk)
  expect(await database.run(grow(0))).toBe('25006')
  expect(await kept()).toEqual(acknowledged)

  disk.free()
  await expect.poll(() => database.run(count(-1))).toEqual([])
  expect(await database.run('select distinct n from counter')).toEqual([{ n: -1 }])
  expect(await database.close()).toBe(0)
})

test('what the disk does not confirm is not acknowledged: the database is lost for good, at once, and neither opening nor closing it hangs [F25]', async () => {
  const database = await DatabaseProcess.open(disk)
  await database.run('create table item (id int); insert into item values (1)')
  disk.failSyncs()
  const answers = await Promise.all([2, 3, 4].map((id) => database.answer(`insert into item values (${id})`)))
  expect(answers.map(({ rows }) => rows)).toEqual([undefined, undefined, undefined])
  expect(answers[0]?.message).toContain('the disk did not confirm a write: EIO')
  expect(await database.failed).toContain('cannot be used any further')
  // nor is it tried again when the disk says that all is well
  disk.healSyncs()
  expect(await database.run('select 1')).toBe('57P02')
  expect(await database.run('insert into item values (5)')).toBe('57P02')
  expect(await database.close()).toBe(0)

  disk.failSyncs()
  await expect(DatabaseProcess.open(disk)).rejects.toThrow('did not open')
  disk.healSyncs()
  const again = await DatabaseProcess.open(disk)
  expect(await again.run('select min(id) as id from item')).toEqual([{ id: 1 }])
  expect(await again.run('select id from item where id = 5')).toEqual([])
  // closing writes a checkpoint, which cannot be confirmed
  disk.failSyncs()
  expect(await again.close()).toBe(0)
})
