/** Fields by which a list is narrowed; what is typed counts on Enter, and stands in the address. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { number } from '../format.ts'
import { query, setQuery } from '../router.ts'

/** The path with what of the address narrows it. */
export function narrowed(path: string, names: readonly string[]): string {
  const asked = new URLSearchParams()
  for (const name of names) {
    const value = query.value.get(name)
    if (value) asked.set(name, value)
  }
  return asked.size === 0 ? path : `${path}?${asked}`
}

interface NarrowProps {
  /** Names of the query with their labels. */
  readonly texts: readonly (readonly [name: string, label: string])[]
  /** Names with the words that there are. */
  readonly words?: readonly (readonly [name: string, label: string, words: readonly string[]])[]
  /** The list: how many rows are newer than what it shows, and what shows them. */
  readonly of: { readonly fresh: number; readonly again: () => Promise<void> }
  readonly children?: ComponentChildren
}

export const Narrow = ({ texts, words = [], of: { fresh, again }, children }: NarrowProps) => (
  <div class="tools">
    {words.map(([name, label, known]) => (
      <label key={name} class="choice">
        {label}{' '}
        <select
          value={query.value.get(name) ?? ''}
          onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
        >
          <option value="">any</option>
          {known.map((word) => (
            <option key={word} value={word}>
              {word}
            </option>
          ))}
        </select>
      </label>
    ))}
    {texts.map(([name, label]) => (
      <Text key={name} name={name} label={label} />
    ))}
    <span class="grow" />
    {children}
    <button class={fresh > 0 ? 'primary' : ''} onClick={() => void again()}>
      {fresh > 0 ? `Show ${number(fresh)} new` : 'Refresh'}
    </button>
  </div>
)

function Text({ name, label }: { name: string; label: string }) {
  const known = query.value.get(name) ?? ''
  const [text, setText] = useState(known)
  // the address may have changed by itself
  useEffect(() => setText(known), [known])
  const set = (): void => setQuery({ [name]: text.trim() })
  return (
    <form
      class="choice narrow"
      onSubmit={(event) => {
        event.preventDefault()
        set()
      }}
    >
      <label class="choice">
        {label}{' '}
        <input
          value={text}
          placeholder="any"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onBlur={set}
        />
      </label>
    </form>
  )
}
