/** Anything by its name: Ctrl+K, a few letters, Enter. */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'

import { go } from './router.ts'
import { signOut } from './session.ts'
import { flipTheme } from './theme.ts'

/** Whether it is open. */
export const palette = signal(false)

interface Entry {
  readonly title: string
  readonly kind: string
  readonly act: () => void
}

const actions: readonly Entry[] = [
  { title: 'Light or dark', kind: 'action', act: flipTheme },
  { title: 'Sign out', kind: 'action', act: () => signOut() },
  { title: 'API reference', kind: 'page', act: () => window.open('../docs', '_blank', 'noopener') },
]

interface Areas {
  readonly areas: readonly { readonly name: string; readonly title: string }[]
}

export function Palette({ areas }: Areas) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const entries = [...areas.map(({ name, title }) => ({ title, kind: 'area', act: () => go(`/${name}`) })), ...actions]
  const found = entries.filter(({ title }) => fits(title, text))
  const chosen = found[Math.min(at, found.length - 1)]
  const close = (): void => void (palette.value = false)
  const take = (entry: Entry | undefined): void => {
    close()
    entry?.act()
  }
  const hear = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setAt((Math.min(at, found.length - 1) + step + found.length) % Math.max(1, found.length))
  }
  return (
    <dialog class="palette" ref={dialog} onClose={close} aria-label="Find anything">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          take(chosen)
        }}
      >
        <input
          autofocus
          value={text}
          placeholder="Where to?"
          role="combobox"
          aria-label="Find anything"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={chosen ? `found-${found.indexOf(chosen)}` : undefined}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={hear}
        />
      </form>
      <ul id="found" role="listbox" aria-label="Found">
        {found.map((entry, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the input hears the keys
          <li
            key={entry.title}
            id={`found-${index}`}
            role="option"
            aria-selected={entry === chosen}
            onClick={() => take(entry)}
          >
            {entry.title} <small>{entry.kind}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p class="hint">Nothing has that name.</p> : null}
    </dialog>
  )
}

/** Whether the letters come in the title in this order. */
function fits(title: string, letters: string): boolean {
  let from = 0
  for (const letter of letters.toLowerCase().replaceAll(' ', '')) {
    from = title.toLowerCase().indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}
