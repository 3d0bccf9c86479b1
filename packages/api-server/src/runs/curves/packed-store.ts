/**
 * Reading curves as they are stored, for answers that keep few of their points: numbers stay packed until somebody looks
 * at them, and consecutive steps are not read at all.
 * @module
 */
import type { Sql } from '../../db/database.ts'
import { type PlacedChunk, shownChunks } from './curve-store.ts'

/** Chunks that one statement reads: some 200,000 points. */
const PAGE_PACKED = 400

/** A curve of the run that executed it. */
type CurvePlace = Pick<CurveEndPlace, 'run' | 'metric'>

/** Which of its chunks are read. */
interface PackedChoice {
  /** Only those with later steps. */
  readonly afterStep: number
  readonly times: boolean
}

/** A chunk as it is stored; `steps` is null where they are consecutive up to `last_step`. */
export interface PackedChunkRow {
  /** Place of its curve among those that are read. */
  readonly curve: number
  /** Its number in the curve. */
  readonly seq: number
  readonly count: number
  readonly last_step: number
  readonly steps: Buffer | null
  /** Null unless asked for. */
  readonly ts: Buffer | null
  readonly vals: Buffer
}

/** Where a curve ends. */
export interface CurveEndPlace extends Omit<PlacedChunk, 'steps' | 'ts' | 'vals'> {
  /** Id of the curve's place in the run that executed it. */
  readonly metric: number
  readonly count: number
  readonly last_step: number
  /** In ms since the Unix epoch, as 8 bytes; null unless asked for. */
  readonly last_ts: Buffer | null
}

/** The statements that read packed curves. */
export type PackedStore = ReturnType<typeof createPackedStore>

/** The statements that read packed curves. */
export const createPackedStore = (sql: Sql) => ({
  /** The ends of the curves that runs show, in the order of `ids`. */
  async ends(
    ids: readonly string[],
    { messages, times }: { readonly messages: readonly string[] | null; readonly times: boolean },
  ): Promise<CurveEndPlace[]> {
    return sql<CurveEndPlace[]>`
      select (asked.place - 1)::int as place, metric.id as metric, coalesce(source.shown, metric.node) as node, metric.port,
        metric.message, source.run, source.node is not null as cached, sum(chunk.count)::int as count,
        max(chunk.last_step) as last_step,
        ${
          times
            ? sql`(array_agg(substring(chunk.ts from octet_length(chunk.ts) - 7) order by chunk.seq desc))[1]`
            : sql`null::bytea`
        } as last_ts
      from ${shownChunks(sql, ids, messages)}
      group by asked.place, metric.id, source.shown, source.node, source.run
      order by asked.place, metric.id, 3`
  },

  /**
   * Pages of these curves of runs, one after the other, each in order, as they are stored. A page is one short statement,
   * which is read while the caller works on the one before: whoever reads slowly holds no more than that.
   */
  async *chunks(curves: readonly CurvePlace[], choice: PackedChoice): AsyncGenerator<PackedChunkRow[]> {
    let first = 0
    let reading = page(sql, curves, choice, null)
    for (;;) {
      const rows = await reading
      const before = first
      const last = rows.length < PAGE_PACKED ? null : (rows.at(-1) ?? null)
      if (last) {
        first += last.curve
        reading = page(sql, curves.slice(first), choice, last.seq)
        // a caller that has enough hears nothing of it
        reading.catch(() => {})
      }
      yield rows.map((row) => ({ ...row, curve: row.curve + before }))
      if (!last) return
    }
  },
})

/** Curves from one on whose chunks up to `after` have been read. */
function page(
  sql: Sql,
  curves: readonly CurvePlace[],
  { afterStep, times }: PackedChoice,
  after: number | null,
): Promise<PackedChunkRow[]> {
  const asked = curves.map(({ run, metric }, at) => ({ run, metric, place: at + 1 }))
  return sql<PackedChunkRow[]>`
    select (asked.place - 1)::int as curve, chunk.seq, chunk.count, chunk.last_step,
      case when chunk.first_step = chunk.last_step - chunk.count + 1 then null else chunk.steps end as steps,
      ${times ? sql`chunk.ts` : sql`null::bytea`} as ts, chunk.vals
    from json_to_recordset(${JSON.stringify(asked)}::json) as asked(run uuid, metric int, place int)
    join metric_chunk chunk on chunk.run = asked.run and chunk.metric = asked.metric
    where chunk.last_step > ${afterStep} ${after === null ? sql`` : sql`and (asked.place > 1 or chunk.seq > ${after})`}
    order by asked.place, chunk.seq limit ${PAGE_PACKED}`
}
