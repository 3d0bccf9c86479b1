/** The single fields of a form by a JSON Schema: texts, numbers, choices, secrets. `schema-form.tsx` puts them together. */
import type { JsonValue } from '@flow-service/client-sdk'

import { Field } from './form.tsx'
import { KeptText } from './kept-text.tsx'
import { type Schema, type Shape, type Typed, typedOf } from './schema.ts'

/** A place in the value, from its root. */
export type Path = readonly string[]

export interface Form {
  /** Has the definitions that its parts refer to. */
  readonly root: Schema
  /** By JSON pointers below the value. */
  readonly faults: Readonly<Record<string, string>>
  /** Names of stored secrets. */
  readonly secrets: readonly string[]
  /** Undefined takes the value away. */
  readonly change: (path: Path, value: JsonValue | undefined) => void
}

export const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const own = (of: unknown, key: string): JsonValue | undefined =>
  isObject(of) && Object.hasOwn(of, key) ? (of[key] as JsonValue) : undefined
export const pointer = (path: Path): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export interface OneProps {
  readonly form: Form
  readonly shape: Shape
  readonly value: JsonValue | undefined
  readonly path: Path
}

/** A text as it stands. */
export const plain = (typed: string): Typed => ({ value: typed === '' ? undefined : typed })
export const plainOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** What stands in an empty field. */
const hintOf = ({ default: known, isRequired }: Shape): string =>
  known === undefined || known === null ? (isRequired ? 'needed' : '') : typedOf(known)

interface TextProps extends OneProps {
  readonly read: (typed: string) => Typed
  readonly write: (value: JsonValue | undefined) => string
  readonly isLong?: boolean
}

export const Text = ({ form, shape, value, path, read, write, isLong = false }: TextProps) => (
  <KeptText
    label={shape.title}
    about={shape.about}
    fault={form.faults[pointer(path)]}
    value={value}
    read={read}
    write={write}
    change={(next) => form.change(path, next)}
    placeholder={hintOf(shape)}
    isLong={isLong}
  />
)

/** A text, or the name of a secret whose value it is. */
export function Texts({ hasSecrets, ...props }: TextProps & { readonly hasSecrets: boolean }) {
  const { form, shape, value, path } = props
  if (typeof own(value, '$secret') === 'string') return <Secret {...props} textTitle="Write a text instead" />
  const [first] = form.secrets
  return (
    <div class="texts">
      <Text {...props} />
      {hasSecrets && first !== undefined ? (
        <button
          type="button"
          class="bare"
          aria-label={`Use a secret for ${shape.title}`}
          onClick={() => form.change(path, { $secret: first })}
        >
          Use a secret
        </button>
      ) : null}
    </div>
  )
}

const KEPT = ' kept'

export function Secret({ form, shape, value, path, textTitle }: OneProps & { readonly textTitle?: string }) {
  const name = own(value, '$secret')
  const chosen = typeof name === 'string' ? name : undefined
  const names = chosen === undefined || form.secrets.includes(chosen) ? form.secrets : [chosen, ...form.secrets]
  const isPlain = chosen === undefined && value !== undefined && value !== null
  return (
    <Field
      label={shape.title}
      about={shape.about}
      fault={form.faults[pointer(path)] ?? form.faults[pointer([...path, '$secret'])]}
    >
      {(tied) => (
        <select
          {...tied}
          value={isPlain ? KEPT : (chosen ?? '')}
          onChange={({ currentTarget: { value: next } }) => {
            if (next !== KEPT) form.change(path, next === '' ? undefined : { $secret: next })
          }}
        >
          <option value="">{textTitle ?? 'None'}</option>
          {isPlain ? <option value={KEPT}>A text in the flow itself, not shown</option> : null}
          {names.map((one) => (
            <option key={one} value={one}>
              {form.secrets.includes(one) ? one : `${one}, which is not stored`}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export const Flag = ({ form, shape, value, path }: OneProps) => {
  const fault = form.faults[pointer(path)]
  return (
    <div class="field">
      <label class="tick">
        <input
          type="checkbox"
          checked={(value ?? shape.default) === true}
          aria-invalid={fault !== undefined}
          onChange={({ currentTarget }) => form.change(path, currentTarget.checked)}
        />{' '}
        {shape.title}
      </label>
      <small>{shape.about}</small>
      {fault === undefined ? null : <p class="fault">{fault}</p>}
    </div>
  )
}

export function Choice({ form, shape, value, path, options }: OneProps & { readonly options: readonly JsonValue[] }) {
  const at = options.findIndex((one) => one === value)
  const isStrange = value !== undefined && value !== null && at < 0
  return (
    <Field label={shape.title} about={shape.about} fault={form.faults[pointer(path)]}>
      {(tied) => (
        <select
          {...tied}
          value={isStrange ? 'strange' : at < 0 ? '' : String(at)}
          onChange={({ currentTarget }) =>
            form.change(path, currentTarget.value === '' ? undefined : options[Number(currentTarget.value)])
          }
        >
          {shape.isRequired ? (
            <option value="" disabled>
              Choose one
            </option>
          ) : (
            <option value="">
              {shape.default === undefined || shape.default === null
                ? 'None'
                : `${plainOf(shape.default)}, the default`}
            </option>
          )}
          {isStrange ? <option value="strange">{plainOf(value)}, which is none of them</option> : null}
          {options.map((one, index) => (
            <option key={plainOf(one)} value={String(index)}>
              {plainOf(one)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
