/** What narrows the list of runs; all of it stands in the address. */
import { useEffect, useState } from 'preact/hooks'

import { Icon } from '../parts/icon.tsx'
import { Status } from '../parts/status.tsx'
import { query, setQuery } from '../router.ts'

const statuses = ['queued', 'running', 'ok', 'error', 'cancelled', 'abandoned'] as const

/** What is typed goes to the engine with Enter. */
export function Filter() {
  const known = query.value
  const [text, setText] = useState(known.get('filter') ?? '')
  // the address may have changed by itself
  useEffect(() => setText(known.get('filter') ?? ''), [known])
  return (
    <form
      class="find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        setQuery({ filter: text.trim() })
      }}
    >
      <Icon name="search" />
      <input
        type="search"
        aria-label="Filter"
        placeholder="params.lr<0.01 tags=best"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          if (event.currentTarget.value === '') setQuery({ filter: null })
        }}
      />
    </form>
  )
}

export function States() {
  const wanted = (query.value.get('status') ?? '').split(',').filter(Boolean)
  const flip = (status: string): void => {
    const next = wanted.includes(status) ? wanted.filter((one) => one !== status) : [...wanted, status]
    setQuery({ status: next.join() })
  }
  return statuses.map((status) => (
    <button key={status} class="chip" aria-pressed={wanted.includes(status)} onClick={() => flip(status)}>
      <Status is={status} isWord />
    </button>
  ))
}

export function Archived() {
  const isShown = query.value.get('archived') === 'true'
  return (
    <button class="chip" aria-pressed={isShown} onClick={() => setQuery({ archived: isShown ? null : 'true' })}>
      archived
    </button>
  )
}

export function BySweep() {
  const isShown = query.value.get('by') === 'sweep'
  return (
    <button class="chip" aria-pressed={isShown} onClick={() => setQuery({ by: isShown ? null : 'sweep', group: null })}>
      By sweep
    </button>
  )
}
