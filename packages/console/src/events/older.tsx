/**
 * A list that is read from its newest end, page by page, by the time of the last row. What is newer is counted, and shown when
 * somebody asks for it: rows never move under the eye.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { get, Problem } from '../api/call.ts'
import { follow } from '../live/events.ts'
import { paced } from '../live/paced.ts'
import { Sheet, type SheetColumn } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'

const PAGE = 100
/** New rows are counted at most so often. */
const COUNTED_MS = 2000

interface Rows<T> {
  readonly rows: readonly T[] | null
  readonly problem: Problem | null
  readonly hasMore: boolean
}

/** Rows of a path with its query; `timeOf` is what `before` is about. */
export function useOlder<T>(path: string, timeOf: (row: T) => string) {
  const [known, setKnown] = useState<Rows<T>>({ rows: null, problem: null, hasMore: false })
  const [fresh, setFresh] = useState(0)
  const life = useRef(0)
  /** Reads on behind these rows until there are so many, or no more. */
  const read = async (before: readonly T[], wanted: number): Promise<void> => {
    const mine = life.current
    let rows = before
    try {
      for (;;) {
        const last = rows.at(-1)
        const asked = last ? `&before=${encodeURIComponent(timeOf(last))}` : ''
        // oxlint-disable-next-line no-await-in-loop -- a page begins behind the one before
        const page = await get<T[]>(`${pageOf(path)}${asked}`)
        if (mine !== life.current) return
        rows = [...rows, ...page]
        const hasMore = page.length === PAGE
        if (hasMore && rows.length < wanted) continue
        setKnown({ rows, problem: null, hasMore })
        return
      }
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
      if (mine === life.current) setKnown((now) => ({ ...now, problem }))
    }
  }
  /** From the newest on, as far as somebody has read: nobody loses their place. */
  const again = (): Promise<void> => {
    life.current += 1
    setFresh(0)
    return read([], known.rows?.length ?? 0)
  }
  const count = useRef(async (): Promise<void> => undefined)
  count.current = async () => {
    const mine = life.current
    const [first] = known.rows ?? []
    const newest = await get<T[]>(pageOf(path)).catch(() => [])
    if (mine !== life.current || newest.length === 0) return
    // an empty list has no row that could move
    if (first === undefined) return again()
    const older = newest.findIndex((row) => timeOf(row) <= timeOf(first))
    setFresh(older < 0 ? newest.length : older)
  }
  useEffect(() => {
    setKnown({ rows: null, problem: null, hasMore: false })
    setFresh(0)
    life.current += 1
    void read([], 0)
    return () => void (life.current += 1)
  }, [path])
  useNews(count)
  return { ...known, fresh, again, more: () => void read(known.rows ?? [], 0) }
}

const pageOf = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`

/** Counts when something has happened, and when somebody comes back to the page: not all that is listed is told of by events. */
function useNews(count: { readonly current: () => Promise<void> }): void {
  useEffect(() => {
    const soon = paced(COUNTED_MS, () => void count.current())
    const end = follow({ kinds: ['node', 'health', 'flow', 'run', 'modules'] }, (frames) => {
      if (frames.some(({ type }) => type !== 'snapshot')) soon.ask()
    })
    const seen = (): void => {
      if (document.visibilityState === 'visible') soon.ask()
    }
    document.addEventListener('visibilitychange', seen)
    return () => {
      document.removeEventListener('visibilitychange', seen)
      soon.end()
      end()
    }
  }, [count])
}

interface OlderProps<T> {
  readonly of: ReturnType<typeof useOlder<T>>
  readonly name: string
  readonly columns: readonly SheetColumn<T>[]
  readonly keyOf: (row: T) => string
  readonly none: readonly [title: string, text: ComponentChildren]
}

export function Older<T>({ of: { rows, problem, hasMore, again, more }, name, columns, keyOf, none }: OlderProps<T>) {
  if (rows === null) return problem ? <Refused problem={problem} again={() => void again()} /> : <Loading />
  return (
    <>
      {problem ? <Refused problem={problem} again={() => void again()} /> : null}
      {rows.length === 0 ? (
        <Empty title={none[0]}>{none[1]}</Empty>
      ) : (
        <Sheet name={name} columns={columns} rows={rows} keyOf={keyOf} />
      )}
      {hasMore ? (
        <p class="older">
          <button onClick={more}>Older ones</button>
        </p>
      ) : null}
    </>
  )
}
