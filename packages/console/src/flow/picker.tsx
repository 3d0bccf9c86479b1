/** One of a list, by a few letters: the end of a wire, when it is drawn with keys. */
import { useState } from 'preact/hooks'

import { Dialog } from '../parts/dialog.tsx'

export interface Choice {
  readonly key: string
  readonly title: string
  readonly about: string
}

interface PickerProps {
  readonly title: string
  readonly choices: readonly Choice[]
  readonly pick: (key: string) => void
  readonly close: () => void
}

export function Picker({ title, choices, pick, close }: PickerProps) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const wanted = text.trim().toLowerCase()
  const found = choices.filter((choice) => `${choice.title} ${choice.about}`.toLowerCase().includes(wanted))
  const chosen = found[Math.min(at, found.length - 1)]
  const hear = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setAt((Math.min(at, found.length - 1) + step + found.length) % Math.max(1, found.length))
    else if (event.key === 'Enter' && chosen) pick(chosen.key)
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={title} close={close}>
      <input
        autofocus
        value={text}
        role="combobox"
        aria-label={title}
        aria-expanded="true"
        aria-controls="picked"
        aria-activedescendant={chosen ? `picked-${found.indexOf(chosen)}` : undefined}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setAt(0)
        }}
        onKeyDown={hear}
      />
      <ul id="picked" class="picked" role="listbox" aria-label={title}>
        {found.map((choice, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the input hears the keys
          <li
            key={choice.key}
            id={`picked-${index}`}
            role="option"
            aria-selected={choice === chosen}
            onClick={() => pick(choice.key)}
          >
            {choice.title} <small>{choice.about}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p class="hint">There is none to choose.</p> : null}
    </Dialog>
  )
}
