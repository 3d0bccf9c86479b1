/** A list of the engine as a table: while it loads, where there is none, where it is refused; and what can be added above it. */
import type { ComponentChildren } from 'preact'

import { load, useResource } from '../api/resource.ts'
import { Sheet, type SheetColumn } from './sheet.tsx'
import { Empty, Loading, Refused } from './states.tsx'

interface ListProps<T> {
  readonly path: string
  readonly name: string
  readonly columns: readonly SheetColumn<T>[]
  readonly keyOf: (row: T) => string
  /** What stands in place of no rows: its title, and what it would be. */
  readonly none: readonly [title: string, text: ComponentChildren]
  readonly children?: ComponentChildren
}

export function List<T>({ path, name, columns, keyOf, none, children }: ListProps<T>) {
  const { data: rows, problem } = useResource<T[]>(path).value
  return (
    <>
      {children === undefined ? null : <div class="tools">{children}</div>}
      {rows === undefined ? (
        problem ? (
          <Refused problem={problem} again={() => void load(path)} />
        ) : (
          <Loading />
        )
      ) : rows.length === 0 ? (
        <Empty title={none[0]}>{none[1]}</Empty>
      ) : (
        <Sheet name={name} columns={columns} rows={rows} keyOf={keyOf} />
      )}
    </>
  )
}
