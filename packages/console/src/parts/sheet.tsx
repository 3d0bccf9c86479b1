/** A table of a length that a page can hold; for runs, of which there may be very many, see `runs/run-table.tsx`. */
import type { ComponentChild } from 'preact'

export interface SheetColumn<T> {
  readonly title: string
  readonly show: (row: T) => ComponentChild
  /** In place of the title as a text: a button that sorts by it. */
  readonly head?: ComponentChild
  readonly sorted?: 'ascending' | 'descending' | undefined
  /** `num` for numbers, `wrap` for texts of some length. */
  readonly is?: 'num' | 'wrap'
}

interface SheetProps<T> {
  /** What the table is of, for who does not see it. */
  readonly name: string
  /** The first one names the row. */
  readonly columns: readonly SheetColumn<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
}

export const Sheet = <T,>({ name, columns, rows, keyOf }: SheetProps<T>) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
  <div class="sheet" role="region" aria-label={name} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {columns.map(({ title, is, head, sorted }) => (
            <th key={title} scope="col" class={is} aria-sort={sorted}>
              {head ?? (title === '' ? <span class="unseen">Actions</span> : title)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, show, is }, index) =>
              index === 0 ? (
                <th key={title} scope="row" class={is}>
                  {show(row)}
                </th>
              ) : (
                <td key={title} class={is}>
                  {show(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
