/**
 * Fields with their labels, and what the engine has against what was typed at the field that it is about: a refusal (422)
 * names fields by JSON pointers.
 */
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'

import { Problem } from '../api/call.ts'

/** What a form was told, by JSON pointers; what no field shows stands above its buttons. */
export interface Faults {
  readonly text: string | null
  readonly at: Readonly<Record<string, string>>
}

const none: Faults = { text: null, at: {} }

interface FormProps {
  /** Pointers of fields, as `/name`: their faults stand beside them, all others above the buttons. */
  readonly fields: readonly string[]
  /** The word on the button. */
  readonly verb: string
  /** Rejects with why it was not done. */
  readonly submit: () => Promise<unknown>
  /** Beside the button, as to cancel. */
  readonly more?: ComponentChildren
  readonly isReady?: boolean
  readonly children: (faults: Faults) => ComponentChildren
}

export function Form({ fields, verb, submit, more, isReady = true, children }: FormProps) {
  const [faults, setFaults] = useState(none)
  const [isBusy, setBusy] = useState(false)
  const send = async (): Promise<void> => {
    setBusy(true)
    setFaults(none)
    try {
      await submit()
    } catch (error) {
      setFaults(faultsOf(error, fields))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {children(faults)}
      {faults.text === null ? null : (
        <p class="fault" role="alert">
          {faults.text}
        </p>
      )}
      <div class="go">
        {more}
        <button class="primary" disabled={isBusy || !isReady}>
          {verb}
        </button>
      </div>
    </form>
  )
}

/** A fault of a part of a field, as `/params/lr/0`, is one of the field. */
export function faultsOf(error: unknown, fields: readonly string[]): Faults {
  if (!(error instanceof Problem)) return { text: error instanceof Error ? error.message : String(error), at: {} }
  const at: Record<string, string> = {}
  const others: string[] = []
  for (const { path, message } of error.errors) {
    const field = fields.find((one) => path === one || path.startsWith(`${one}/`))
    if (field === undefined) others.push(path === '' ? message : `${path}: ${message}`)
    else at[field] ??= message
  }
  if (error.errors.length === 0) return { text: error.message, at }
  return { text: others.length === 0 ? null : others.join(' '), at }
}

interface FieldProps {
  readonly label: string
  readonly about?: ComponentChildren
  readonly fault?: string | undefined
  /** Gets the attributes that tie the control to its label and fault. */
  readonly children: (tied: Tied) => ComponentChildren
}

interface Tied {
  readonly id: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
}

export function Field({ label, about, fault, children }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {label} {about === undefined ? null : <small>{about}</small>}
      </label>
      {children({
        id,
        'aria-invalid': fault !== undefined,
        'aria-describedby': fault === undefined ? undefined : `${id}-fault`,
      })}
      {fault === undefined ? null : (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly about?: ComponentChildren
  readonly fault?: string | undefined
  readonly value: string
  readonly change: (value: string) => void
  readonly type?: 'text' | 'password' | 'email' | 'number' | 'url'
  readonly placeholder?: string
  /** What a browser may fill in: nothing unless given. */
  readonly autocomplete?: 'off' | 'new-password' | 'current-password' | 'email'
  readonly isRequired?: boolean
}

export const TextField = ({ label, about, fault, value, change, ...more }: TextFieldProps) => (
  <Field label={label} about={about} fault={fault}>
    {(tied) => (
      <input
        {...tied}
        // the kinds that these fields have take the same attributes
        type={(more.type ?? 'text') as 'text'}
        value={value}
        placeholder={more.placeholder ?? ''}
        autocomplete={more.autocomplete ?? 'off'}
        required={more.isRequired ?? false}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    )}
  </Field>
)

interface ChoiceFieldProps {
  readonly label: string
  readonly about?: ComponentChildren
  readonly fault?: string | undefined
  readonly value: string
  /** What is sent, and what is read. */
  readonly options: readonly (readonly [value: string, title: string])[]
  readonly change: (value: string) => void
}

export const ChoiceField = ({ label, about, fault, value, options, change }: ChoiceFieldProps) => (
  <Field label={label} about={about} fault={fault}>
    {(tied) => (
      <select {...tied} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {options.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    )}
  </Field>
)
