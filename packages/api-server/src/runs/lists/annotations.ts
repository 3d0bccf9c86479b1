/**
 * What people add to runs: notes, tags, pins, and the archive (wire decision V14).
 * @module
 */
import { MAX_RUN_TAGS, type RunAnnotation, type RunSummary, type RunsAnnotation } from '@flow-service/protocol'

import type { Database, Sql } from '../../db/database.ts'
import { invalid, type ProblemError } from '../../http/errors.ts'
import { noRun } from '../refusals.ts'
import type { SummaryRow } from '../run-record.ts'
import { summary } from '../store.ts'

/** Dependencies of annotations. */
export interface AnnotationsDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  /** Tells listeners, here and at other engines, what a run is called now. */
  readonly tell: (run: RunSummary) => void
}

/** Writes what people say about runs. */
export class RunAnnotations {
  readonly #deps: AnnotationsDeps

  constructor(deps: AnnotationsDeps) {
    this.#deps = deps
  }

  /** Changes what is given, of a run in any state; refuses with `not_found`. */
  async annotate(id: string, { note, tags, pinned, archived }: RunAnnotation): Promise<RunSummary> {
    const { database, tell } = this.#deps
    const { sql } = database
    const [row] = await sql<SummaryRow[]>`
      update run set note = coalesce(${note ?? null}, note), tags = coalesce(${sorted(tags)}::text[], tags),
        pinned = coalesce(${pinned ?? null}, pinned), archived = coalesce(${archived ?? null}, archived)
      where id = ${id} returning ${summary(sql)}`
    if (!row) throw noRun(id)
    tell(row)
    return row
  }

  /** Changes many runs, or none; gives how many are different now. Refuses with `not_found`, and more than 32 tags. */
  async annotateAll({
    ids,
    add_tags: add = [],
    remove_tags: remove = [],
    pinned,
    archived,
  }: RunsAnnotation): Promise<number> {
    const { database, tell } = this.#deps
    const wanted = [...new Set(ids)]
    const changed = await database.transaction(async (tx) => {
      const found = await locked(tx, wanted)
      const missing = wanted.find((id) => !found.has(id))
      if (missing !== undefined) throw noRun(missing)
      const rows = await tx<SummaryRow[]>`
        update run set tags = next.tags, pinned = coalesce(${pinned ?? null}, run.pinned),
          archived = coalesce(${archived ?? null}, run.archived)
        from (
          select id, array(
            select distinct tag collate "C" from unnest(run.tags || ${add as string[]}::text[]) as tag
            where not tag = any(${remove as string[]}::text[]) order by 1
          ) as tags from run where id = any(${wanted}::uuid[])
        ) as next
        where run.id = next.id and (run.tags, run.pinned, run.archived) is distinct from (
          next.tags, coalesce(${pinned ?? null}, run.pinned), coalesce(${archived ?? null}, run.archived))
        returning ${summary(tx)}`
      const full = rows.find(({ tags }) => tags.length > MAX_RUN_TAGS)
      if (full) throw tooManyTags(full)
      return rows
    })
    for (const run of changed) tell(run)
    return changed.length
  }
}

/** The runs of these ids that exist, which nobody changes until the transaction ends; in one order. */
async function locked(tx: Sql, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx<{ id: string }[]>`
    select id from run where id = any(${ids as string[]}::uuid[]) order by id for no key update`
  return new Set(rows.map(({ id }) => id))
}

/** Each tag once, in the order in which the database sorts them. */
const sorted = (tags: readonly string[] | undefined): string[] | null =>
  tags === undefined ? null : [...new Set(tags)].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

const tooManyTags = ({ id, tags }: SummaryRow): ProblemError =>
  invalid([
    {
      path: '/add_tags',
      code: 'too_big',
      message: `run "${id}" would have ${tags.length} tags, and a run has at most ${MAX_RUN_TAGS}: remove some of them`,
    },
  ])
