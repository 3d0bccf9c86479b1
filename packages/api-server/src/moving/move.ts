/**
 * Moves a database, with all that is in it, to another place: for `service move`, while no engine uses either.
 *
 * - move.V1 the source is read and never changed, but for its mark, which comes when all rows are at the target.
 * - move.V2 then both are compared, table by table, and only a target that is equal is complete. Of two databases that both
 *   hold everything, an engine opens at most one: the source is marked before the target is complete.
 * - move.V3 a move that was broken off is repeated by the same command, and goes on behind the last row; a table that differs
 *   at the end, because an engine has used the source meanwhile, is filled once more.
 * @module
 */
import { timestampOfMs } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import { type Mark, putMark, removeMark } from '../db/mark.ts'
import { sqlState } from '../db/transaction.ts'
import { ConfigError } from '../process/setting.ts'
import { createCatalogStore } from './catalog-store.ts'
import { digestOf, isSame } from './digest.ts'
import { stepsAfterMove } from './next-steps.ts'
import { pagesOf } from './pages.ts'
import { isSamePlace, isThere, openPlace, type Place, placeText } from './places.ts'
import type { Step } from './progress.ts'
import { createRowStore, type RowStore } from './row-store.ts'
import { assertNoEngine, readSource, sequencesOf, type Source } from './source.ts'
import { type MovedTable, withReferring } from './tables.ts'
import { Target } from './target.ts'

/** What a move takes. */
export interface MoveOptions {
  readonly from: Place
  readonly to: Place
  /** Hears how far it is. */
  readonly onStep?: ((step: Step) => void) | undefined
}

/** A table that was moved, or would be. */
interface MovedRows {
  readonly table: string
  readonly rows: number
}

/** What was moved. */
export interface MoveReport {
  readonly from: string
  readonly to: string
  readonly tables: readonly MovedRows[]
  readonly rows: number
  /** Whether an earlier move had begun it. */
  readonly resumed: boolean
  /** What is to be done by people now, a sentence each. */
  readonly next: readonly string[]
}

/** What a move would move, and how many bytes of a database that are; nothing is changed at either place. */
export async function planMove({ from, to }: MoveOptions): Promise<MoveReport & { readonly bytes: number }> {
  return withSource(from, to, async ({ database, source }) => {
    const rows = createRowStore(database.sql)
    const tables = await countsOf(rows, source.tables)
    let bytes = 0
    for (const table of source.tables) bytes += await rows.size(table)
    return { ...reportOf({ from, to }, tables), resumed: false, bytes }
  })
}

/** Moves the database of one place to another; see the header. Throws an Error that says what to do. */
export async function moveDatabase(options: MoveOptions): Promise<MoveReport> {
  const { from, to } = options
  return withSource(from, to, async (opened) => {
    const { source } = opened
    const filling = { by: 'move', from: placeText(from), source: source.id, migrations: source.migrations } as const
    if (source.mark !== null && (await isComplete(to, source))) return finish(opened, options)
    const target = await Target.open(to, filling)
    try {
      const move = new Move({ ...opened, target, options })
      return await move.run()
    } finally {
      await target.close()
    }
  })
}

/** Has engines open a database again that has moved. Throws when it has not. */
export async function undoMove(place: Place): Promise<{ readonly to: string }> {
  const where = placeText(place)
  if (!isThere(place)) throw new ConfigError(`there is no ${where.slice('the '.length)}`)
  const database = await openPlace(place)
  try {
    const { mark } = await readSource(database.sql, where)
    if (mark === null) throw new Error(`${where} has not moved: engines open it as it is`)
    if (mark.state === 'filling') throw new Error(`${where} has not moved: it is being filled from ${mark.from}`)
    await removeMark(database.sql)
    return { to: mark.to }
  } finally {
    await database.close()
  }
}

interface Opened {
  readonly database: Database
  readonly source: Source
}

async function withSource<T>(from: Place, to: Place, use: (opened: Opened) => Promise<T>): Promise<T> {
  const where = placeText(from)
  if (isSamePlace(from, to)) throw new ConfigError(`${where} is where it is already: name another place by --to`)
  if (!isThere(from))
    throw new ConfigError(`there is no ${where.slice('the '.length)}: name the data directory by --data`)
  const database = await openPlace(from)
  try {
    const source = await readSource(database.sql, where)
    const { mark } = source
    if (mark?.state === 'filling')
      throw new Error(`${where} is not complete: it is being filled from ${mark.from} by "service ${mark.by}"`)
    if (mark?.state === 'moved' || (mark && mark.to !== placeText(to)))
      throw new Error(
        `${where} ${mark.state === 'moved' ? 'has moved' : 'is moving'} to ${mark.to} since ${mark.since}; "service move --undo ${from.kind === 'embedded' ? 'embedded' : 'URL'}" takes that back`,
      )
    await assertNoEngine(database.sql, where)
    return await use({ database, source })
  } finally {
    await database.close()
  }
}

async function countsOf(rows: RowStore, tables: readonly MovedTable[]): Promise<MovedRows[]> {
  const counts: MovedRows[] = []
  for (const table of tables) counts.push({ table: table.name, rows: await rows.count(table) })
  return counts
}

const reportOf = ({ from, to }: Pick<MoveOptions, 'from' | 'to'>, tables: readonly MovedRows[]) => ({
  from: placeText(from),
  to: placeText(to),
  tables,
  rows: tables.reduce((sum, { rows }) => sum + rows, 0),
  next: stepsAfterMove({ from, to }),
})

/** Whether a move was broken off between its last two steps: the target is an ordinary database, and this one. */
async function isComplete(to: Place, { id }: Source): Promise<boolean> {
  if (!isThere(to)) return false
  const database = await openPlace(to)
  try {
    if (!(await createCatalogStore(database.sql).has('migration'))) return false
    const there = await readSource(database.sql, placeText(to))
    return there.mark === null && there.id === id
  } finally {
    await database.close()
  }
}

/** The last step of a move. */
async function finish({ database, source }: Opened, options: MoveOptions): Promise<MoveReport> {
  await markSource({ database, source }, options, 'moved')
  const tables = await countsOf(createRowStore(database.sql), source.tables)
  return { ...reportOf(options, tables), resumed: true }
}

async function markSource(
  { database, source }: Opened,
  { from, to }: MoveOptions,
  state: 'leaving' | 'moved',
): Promise<Mark> {
  const mark: Mark = { state, to: placeText(to), since: timestampOfMs(Date.now()) }
  if (!(await putMark(database.sql, mark, source.mark)))
    throw new Error(`the mark of ${placeText(from)} has changed meanwhile: another process moves it as well`)
  return mark
}

/** One move to an open target. */
class Move {
  readonly #database: Database
  readonly #target: Target
  readonly #options: MoveOptions
  readonly #rows: RowStore
  #source: Source
  #counts: readonly MovedRows[] = []

  constructor({ database, source, target, options }: Opened & { target: Target; options: MoveOptions }) {
    this.#database = database
    this.#source = source
    this.#target = target
    this.#options = options
    this.#rows = createRowStore(database.sql)
  }

  async run(): Promise<MoveReport> {
    this.#counts = await countsOf(this.#rows, this.#source.tables)
    await this.#fill()
    const before = this.#source.mark
    await this.#mark('leaving')
    try {
      await assertNoEngine(this.#database.sql, placeText(this.#options.from))
      await this.#settle()
      // one that was opening when the mark came
      await assertNoEngine(this.#database.sql, placeText(this.#options.from))
      await this.#target.complete(await sequencesOf(this.#database.sql, this.#source.tables))
    } catch (error) {
      // the source is as it was before: whoever cannot move goes on with it
      if (before === null) await removeMark(this.#database.sql)
      throw error
    }
    // from here on the source stays marked, whatever happens: an engine may open the target
    await this.#target.release()
    await this.#mark('moved')
    return { ...reportOf(this.#options, this.#counts), resumed: this.#target.isResumed }
  }

  async #mark(state: 'leaving' | 'moved'): Promise<void> {
    const opened = { database: this.#database, source: this.#source }
    this.#source = { ...this.#source, mark: await markSource(opened, this.#options, state) }
  }

  /** Writes what is missing. What an engine has changed since it was written may not fit to what comes now (move.V3). */
  async #fill(): Promise<void> {
    try {
      await this.#fillLeft()
    } catch (error) {
      if (!this.#target.isResumed || !sqlState(error).startsWith(INTEGRITY)) throw error
      await this.#target.restart()
      await this.#fillLeft()
    }
    await this.#target.filled()
  }

  async #fillLeft(): Promise<void> {
    const { tables, after } = this.#target.left
    for (const [at, table] of tables.entries()) {
      for await (const page of pagesOf(this.#rows, table, at === 0 ? after : undefined)) {
        await this.#target.write(table, page)
        this.#tell('copy', table, page.rows.length)
      }
    }
  }

  /** Both have the same rows then (move.V2). */
  async #settle(): Promise<void> {
    const differing = await this.#differing()
    if (differing.length === 0) return
    const tables = withReferring(this.#source.tables, differing)
    await this.#target.empty(tables)
    for (const table of tables) {
      for await (const page of pagesOf(this.#rows, table)) {
        await this.#target.writeAgain(table, page)
        this.#tell('copy', table, page.rows.length)
      }
    }
    const still = await this.#differing()
    if (still.length === 0) return
    throw new Error(
      `${still.join(', ')} differ at ${placeText(this.#options.to)} from what was read: nothing has moved; is something else writing at one of the two places?`,
    )
  }

  async #differing(): Promise<string[]> {
    const differing: string[] = []
    for (const table of this.#source.tables) {
      const [here, there] = await Promise.all([
        digestOf(this.#rows, table, (rows) => this.#tell('compare', table, rows)),
        this.#target.digest(table),
      ])
      if (!isSame(here, there)) differing.push(table.name)
    }
    return differing
  }

  #tell(step: Step['step'], { name: table }: MovedTable, rows: number): void {
    const of = this.#counts.find((each) => each.table === table)?.rows ?? 0
    this.#options.onStep?.({ step, table, rows, of })
  }
}

/** The class of SQLSTATE of rows that do not fit to others (PostgreSQL manual, appendix A). */
const INTEGRITY = '23'
