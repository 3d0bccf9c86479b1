/**
 * A form by the JSON Schema of what it sets: settings of nodes, in the inspector of a flow. A change is told with its place; what
 * cannot be read stays in its field, with what is wrong. Credentials are chosen among the stored secrets and never shown.
 */
import type { JsonValue } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { Field } from './form.tsx'
import { Icon } from './icon.tsx'
import { itself, KeptText } from './kept-text.tsx'
import {
  anyOf,
  fieldsOf,
  firstOf,
  type Kind,
  kindOf,
  numberOf,
  type Schema,
  type Shape,
  type Typed,
  typedOf,
} from './schema.ts'

import './schema-form.css'

/** A place in the value, from its root. */
type Path = readonly string[]

interface Form {
  /** Has the definitions that its parts refer to. */
  readonly root: Schema
  /** By JSON pointers below the value. */
  readonly faults: Readonly<Record<string, string>>
  /** Names of stored secrets. */
  readonly secrets: readonly string[]
  /** Undefined takes the value away. */
  readonly change: (path: Path, value: JsonValue | undefined) => void
}

interface SchemaFormProps {
  readonly schema: Schema
  readonly value: Readonly<Record<string, JsonValue>>
  readonly faults: Form['faults']
  readonly secrets: readonly string[]
  readonly isReadOnly?: boolean
  readonly change: Form['change']
}

export function SchemaForm({ schema, value, isReadOnly = false, ...form }: SchemaFormProps) {
  const of: Form = { ...form, root: schema }
  const fields = fieldsOf(schema)
  const rest = schema['additionalProperties']
  return (
    <fieldset class="schema" disabled={isReadOnly}>
      {fields.map((shape) => (
        <One key={shape.key} form={of} shape={shape} value={own(value, shape.key)} path={[shape.key]} />
      ))}
      {fields.length === 0 && isObject(rest) ? (
        <Table form={of} of={rest} value={value} path={[]} shape={free} />
      ) : null}
      {Object.keys(value)
        .filter((key) => !isObject(rest) && !fields.some((field) => field.key === key))
        .map((key) => (
          <Stranger key={key} name={key} form={of} />
        ))}
    </fieldset>
  )
}

const free: Shape = {
  key: '',
  title: 'Settings',
  about: 'Each is an argument of the code.',
  isRequired: false,
  default: undefined,
  schema: {},
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const own = (of: unknown, key: string): JsonValue | undefined =>
  isObject(of) && Object.hasOwn(of, key) ? (of[key] as JsonValue) : undefined
const pointer = (path: Path): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** A setting that the type does not know, as one of an older version of it. */
const Stranger = ({ name, form }: { name: string; form: Form }) => (
  <div class="field stranger">
    <p class="fault">{form.faults[pointer([name])] ?? `The type has no setting "${name}".`}</p>
    <button type="button" onClick={() => form.change([name], undefined)}>
      Remove {name}
    </button>
  </div>
)

interface OneProps {
  readonly form: Form
  readonly shape: Shape
  readonly value: JsonValue | undefined
  readonly path: Path
}

function One(props: OneProps) {
  const kind = kindOf(props.shape.schema, props.form.root, props.path.length)
  return <OfKind {...props} kind={kind} />
}

function OfKind({ kind, ...props }: OneProps & { readonly kind: Kind }) {
  switch (kind.is) {
    case 'flag':
      return <Flag {...props} />
    case 'choice':
      return <Choice {...props} options={kind.options} />
    case 'secret':
      return <Secret {...props} />
    case 'number':
      return <Text {...props} read={(typed) => numberOf(typed, kind)} write={typedOf} />
    case 'text':
      return <Texts {...props} hasSecrets={kind.hasSecrets} isLong={kind.isLong} read={plain} write={plainOf} />
    case 'any':
      return <Texts {...props} hasSecrets={kind.hasSecrets} isLong={false} read={anyOf} write={typedOf} />
    case 'list':
      return <List {...props} of={kind.of} most={kind.most} />
    case 'table':
      return <Table {...props} of={kind.of} />
    case 'either':
      return <Either {...props} text={kind.text} table={kind.table} />
    case 'group':
      return (
        <fieldset class="group">
          <legend>{props.shape.title}</legend>
          {kind.fields.map((shape) => (
            <One
              key={shape.key}
              form={props.form}
              shape={shape}
              value={own(props.value, shape.key)}
              path={[...props.path, shape.key]}
            />
          ))}
        </fieldset>
      )
  }
}

const plain = (typed: string): Typed => ({ value: typed === '' ? undefined : typed })
const plainOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** What stands in an empty field. */
const hintOf = ({ default: known, isRequired }: Shape): string =>
  known === undefined || known === null ? (isRequired ? 'needed' : '') : typedOf(known)

interface TextProps extends OneProps {
  readonly read: (typed: string) => Typed
  readonly write: (value: JsonValue | undefined) => string
  readonly isLong?: boolean
}

const Text = ({ form, shape, value, path, read, write, isLong = false }: TextProps) => (
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
function Texts({ hasSecrets, ...props }: TextProps & { readonly hasSecrets: boolean }) {
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

function Secret({ form, shape, value, path, textTitle }: OneProps & { readonly textTitle?: string }) {
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

const Flag = ({ form, shape, value, path }: OneProps) => {
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

function Choice({ form, shape, value, path, options }: OneProps & { readonly options: readonly JsonValue[] }) {
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

function List({
  form,
  shape,
  value,
  path,
  of,
  most,
}: OneProps & { readonly of: Schema; readonly most: number | null }) {
  const items = Array.isArray(value) ? value : []
  const fault = form.faults[pointer(path)]
  const noun = shape.title.replace(/s$/, '').toLowerCase()
  return (
    <fieldset class="group">
      <legend>{shape.title}</legend>
      <small>{shape.about}</small>
      {fault === undefined ? null : <p class="fault">{fault}</p>}
      {items.map((item, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- items have no other name
        <div key={at} class="item">
          <One
            form={form}
            shape={itemShape(`${shape.title} ${at + 1}`, of)}
            value={item}
            path={[...path, String(at)]}
          />
          <button
            type="button"
            class="bare"
            aria-label={`Remove ${noun} ${at + 1}`}
            onClick={() =>
              form.change(
                path,
                items.filter((_, index) => index !== at),
              )
            }
          >
            <Icon name="cross" size={16} />
          </button>
        </div>
      ))}
      <button
        type="button"
        disabled={most !== null && items.length >= most}
        onClick={() => form.change(path, [...items, firstOf(of, form.root)])}
      >
        Add {noun}
      </button>
    </fieldset>
  )
}

const itemShape = (title: string, schema: Schema): Shape => ({
  key: '',
  title,
  about: '',
  isRequired: false,
  default: undefined,
  schema,
})

function Table({ form, shape, value, path, of }: OneProps & { readonly of: Schema }) {
  const rows = Object.entries(isObject(value) ? (value as Record<string, JsonValue>) : {})
  const fault = form.faults[pointer(path)]
  const put = (next: readonly (readonly [string, JsonValue])[]): void => form.change(path, Object.fromEntries(next))
  return (
    <fieldset class="group">
      <legend>{shape.title}</legend>
      <small>{shape.about}</small>
      {fault === undefined ? null : <p class="fault">{fault}</p>}
      {rows.map(([key, item], at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the name is what is typed
        <div key={at} class="item">
          <Name
            key={key}
            name={key}
            taken={rows.map(([one]) => one)}
            rename={(next) => put(rows.map(([one, of_]) => [one === key ? next : one, of_]))}
          />
          <One form={form} shape={itemShape(key, of)} value={item} path={[...path, key]} />
          <button
            type="button"
            class="bare"
            aria-label={`Remove ${key}`}
            onClick={() => put(rows.filter(([one]) => one !== key))}
          >
            <Icon name="cross" size={16} />
          </button>
        </div>
      ))}
      <NewName taken={rows.map(([one]) => one)} add={(name) => put([...rows, [name, firstOf(of, form.root)]])} />
    </fieldset>
  )
}

interface NameProps {
  readonly name: string
  readonly taken: readonly string[]
  readonly rename: (name: string) => void
}

/** The name of a row, which counts when it is left. */
const Name = ({ name, taken, rename }: NameProps) => (
  <KeptText
    label="Name"
    value={name}
    read={(typed) => {
      if (typed === '') return { fault: 'It needs a name.' }
      return typed !== name && taken.includes(typed) ? { fault: 'There is one of that name.' } : { value: typed }
    }}
    write={itself}
    change={rename}
    isLate
  />
)

function NewName({ taken, add }: { readonly taken: readonly string[]; readonly add: (name: string) => void }) {
  const [typed, setTyped] = useState('')
  const put = (): void => {
    if (typed === '' || taken.includes(typed)) return
    add(typed)
    setTyped('')
  }
  return (
    <div class="new-name">
      <input
        value={typed}
        aria-label="Name of a new entry"
        placeholder="name"
        autocomplete="off"
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          put()
        }}
      />
      <button type="button" disabled={typed === '' || taken.includes(typed)} onClick={put}>
        Add
      </button>
    </div>
  )
}

/** One text for all, or one by name. */
function Either({ text, table, ...props }: OneProps & { readonly text: Schema; readonly table: Schema }) {
  const isTable = isObject(props.value)
  const kind = kindOf(isTable ? table : text, props.form.root)
  return (
    <div class="either">
      <OfKind {...props} kind={kind} />
      <button type="button" class="bare" onClick={() => props.form.change(props.path, isTable ? undefined : {})}>
        {isTable ? 'One for all' : 'One by name'}
      </button>
    </div>
  )
}
