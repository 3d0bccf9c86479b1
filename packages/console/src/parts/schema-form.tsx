/**
 * A form by the JSON Schema of what it sets: settings of nodes, in the inspector of a flow. A change is told with its place; what
 * cannot be read stays in its field, with what is wrong. Credentials are chosen among the stored secrets and never shown.
 */
import type { JsonValue } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { Icon } from './icon.tsx'
import { itself, KeptText } from './kept-text.tsx'
import {
  Choice,
  Flag,
  type Form,
  isObject,
  type OneProps,
  own,
  plain,
  plainOf,
  pointer,
  Secret,
  Text,
  Texts,
} from './schema-fields.tsx'
import { anyOf, fieldsOf, firstOf, type Kind, kindOf, numberOf, type Schema, type Shape, typedOf } from './schema.ts'

import './schema-form.css'

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
  title: 'Arguments',
  about: 'Each is an argument of the code.',
  isRequired: false,
  default: undefined,
  schema: {},
}

/** A setting that the type does not know, as one of an older version of it. */
const Stranger = ({ name, form }: { name: string; form: Form }) => (
  <div class="field stranger">
    <p class="fault">{form.faults[pointer([name])] ?? `The type has no setting "${name}".`}</p>
    <button type="button" onClick={() => form.change([name], undefined)}>
      Remove {name}
    </button>
  </div>
)

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
            shape={itemShape(`${shape.title.replace(/s$/, '')} ${at + 1}`, of)}
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
            <Icon name="close" size={16} />
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
            <Icon name="close" size={16} />
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
