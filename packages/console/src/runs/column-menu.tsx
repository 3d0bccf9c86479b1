/** Which columns the list of runs has, and in what order; found by a part of their name. */
import { useState } from 'preact/hooks'

import { Menu } from '../parts/menu.tsx'
import { setQuery } from '../router.ts'
import { textOf } from './columns.ts'

/** Names on the menu at once; the search finds the others. */
const MOST = 100

interface ColumnMenuProps {
  /** Everything that there is. */
  readonly fields: readonly string[]
  readonly shown: readonly string[]
}

export function ColumnMenu({ fields, shown }: ColumnMenuProps) {
  const [text, setText] = useState('')
  const fits = (field: string): boolean => field.toLowerCase().includes(text.trim().toLowerCase())
  const others = fields.filter((field) => !shown.includes(field))
  const show = (next: readonly string[]): void => setQuery({ columns: textOf(next) })
  const found = others.filter(fits)
  return (
    <Menu title="Columns">
      <input
        type="search"
        aria-label="Find a column"
        placeholder="Find a column"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="go">
        <button onClick={() => show([...shown, ...found])}>{text.trim() === '' ? 'All' : 'All found'}</button>
        <button onClick={() => show(shown.filter((field) => text.trim() !== '' && !fits(field)))}>None</button>
        <button onClick={() => setQuery({ columns: null })}>As usual</button>
      </div>
      <fieldset aria-label="Columns">
        {shown.filter(fits).map((field) => (
          <Shown key={field} field={field} shown={shown} show={show} />
        ))}
        {found.slice(0, MOST).map((field) => (
          <label key={field} class="column">
            <input type="checkbox" checked={false} onChange={() => show([...shown, field])} /> {field}
          </label>
        ))}
        {found.length > MOST ? <p class="hint">And {found.length - MOST} more: type a part of the name.</p> : null}
        {fields.length === 0 ? <p class="hint">These runs have neither parameters nor curves.</p> : null}
      </fieldset>
    </Menu>
  )
}

interface ShownProps {
  readonly field: string
  readonly shown: readonly string[]
  readonly show: (next: readonly string[]) => void
}

function Shown({ field, shown, show }: ShownProps) {
  const at = shown.indexOf(field)
  const moved = (by: number): string[] => {
    const next = shown.toSpliced(at, 1)
    next.splice(at + by, 0, field)
    return next
  }
  return (
    <div class="column">
      <label>
        <input type="checkbox" checked onChange={() => show(shown.filter((one) => one !== field))} /> {field}
      </label>
      <button class="bare" aria-label={`Move ${field} to the left`} disabled={at === 0} onClick={() => show(moved(-1))}>
        ←
      </button>
      <button
        class="bare"
        aria-label={`Move ${field} to the right`}
        disabled={at === shown.length - 1}
        onClick={() => show(moved(1))}
      >
        →
      </button>
    </div>
  )
}
