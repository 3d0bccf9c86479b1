/** A list that is read from its newest end, page by page, by the time of the last row; what is newer is looked for on demand. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { get, Problem } from '../api/call.ts'
import { Sheet, type SheetColumn } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'

const PAGE = 100

interface Rows<T> {
  readonly rows: readonly T[] | null
  readonly problem: Problem | null
  readonly hasMore: boolean
}

/** Rows of a path with its query; `timeOf` is what `before` is about. */
export function useOlder<T>(path: string, timeOf: (row: T) => string) {
  const [known, setKnown] = useState<Rows<T>>({ rows: null, problem: null, hasMore: false })
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
        const page = await get<T[]>(`${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}${asked}`)
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
    return read([], known.rows?.length ?? 0)
  }
  useEffect(() => {
    setKnown({ rows: null, problem: null, hasMore: false })
    life.current += 1
    void read([], 0)
    return () => void (life.current += 1)
  }, [path])
  return { ...known, again, more: () => void read(known.rows ?? [], 0) }
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
