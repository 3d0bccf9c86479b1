/**
 * A text field for something that has a form: a number, a name, JSON. What is typed stays there while it is none yet, with what is
 * wrong, and is told when it is one.
 */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

import { Field } from './form.tsx'

/** What was typed, read. */
export type Read<T> = { readonly value: T } | { readonly fault: string }

interface KeptTextProps<T> {
  readonly label: string
  readonly about?: ComponentChildren
  readonly fault?: string | undefined
  readonly value: T
  readonly read: (typed: string) => Read<T>
  readonly write: (value: T) => string
  readonly change: (value: T) => void
  readonly placeholder?: string
  readonly isLong?: boolean
  readonly isDisabled?: boolean
  /** Told when the field is left, not while somebody types: for names, of which halves are names too. */
  readonly isLate?: boolean
  /** Id of a `datalist` with what is offered. */
  readonly list?: string
}

export function KeptText<T>({ label, about, fault, value, read, write, change, ...more }: KeptTextProps<T>) {
  const [typed, setTyped] = useState(write(value))
  const told = useRef(value)
  if (JSON.stringify(told.current) !== JSON.stringify(value)) {
    // somebody else has changed it, or it was undone
    told.current = value
    setTyped(write(value))
  }
  const found = read(typed)
  const tell = (text: string): void => {
    const next = read(text)
    if ('fault' in next || JSON.stringify(next.value) === JSON.stringify(told.current)) return
    told.current = next.value
    change(next.value)
  }
  const type = (text: string): void => {
    setTyped(text)
    if (!more.isLate) tell(text)
  }
  return (
    <Field label={label} about={about} fault={'fault' in found ? found.fault : fault}>
      {(tied) => {
        const shared = {
          ...tied,
          value: typed,
          placeholder: more.placeholder ?? '',
          disabled: more.isDisabled ?? false,
          spellcheck: false,
        }
        return more.isLong ? (
          <textarea
            {...shared}
            rows={3}
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onBlur={() => tell(typed)}
          />
        ) : (
          <input
            {...shared}
            list={more.list}
            autocomplete="off"
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onBlur={() => tell(typed)}
            onKeyDown={({ key }) => {
              if (key === 'Enter') tell(typed)
            }}
          />
        )
      }}
    </Field>
  )
}

/** Any text. */
export const anyText = (typed: string): Read<string> => ({ value: typed })
export const itself = (value: string): string => value
