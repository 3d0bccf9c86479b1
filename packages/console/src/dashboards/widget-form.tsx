/** The settings of a widget: what it is called, what it shows, and what its type alone has. */
import type { ChartSourceOutput, Message, WidgetOutput } from '@flow-service/client-sdk'
import { useId, useState } from 'preact/hooks'

import type { Problem } from '../api/call.ts'
import { useResource } from '../api/resource.ts'
import { ChoiceField, faultsOf, Field, TextField } from '../parts/form.tsx'

interface WidgetFormProps {
  readonly widget: WidgetOutput
  /** Its place in the list, as refusals name it. */
  readonly at: number
  readonly problem: Problem | null
  readonly change: (widget: WidgetOutput) => void
  readonly remove: () => void
}

export function WidgetForm({ widget, at, problem, change, remove }: WidgetFormProps) {
  const { data: messages } = useResource<Message[]>('/messages/').value
  const base = `/content/widgets/${at}`
  const faults =
    problem === null
      ? {}
      : faultsOf(problem, [`${base}/title`, `${base}/binding`, `${base}/source`, `${base}/options`]).at
  const hasSource =
    widget.type === 'chart' || widget.type === 'table' || widget.type === 'value' || widget.type === 'image'
  const bound = messages?.find(({ name }) => name === widget.binding?.message)
  return (
    <div class="panel-body fields">
      <h2>
        {widget.type} <small>{widget.id}</small>
      </h2>
      <Kept
        label="Title"
        value={widget.title}
        fault={faults[`${base}/title`]}
        keep={(title) => change({ ...widget, title })}
      />
      {widget.type === 'text' ? null : (
        <MessageField
          messages={messages ?? []}
          value={widget.binding?.message ?? ''}
          about={bound ? `${String(typeof bound.dtype === 'string' ? bound.dtype : 'JSON')}` : 'flow.message'}
          fault={faults[`${base}/binding`] ?? wrongType(widget, bound)}
          keep={(message) => change({ ...widget, binding: message === '' ? null : { message } })}
        />
      )}
      {hasSource ? (
        <SourceFields
          source={widget.source}
          fault={faults[`${base}/source`]}
          change={(source) => change({ ...widget, source })}
        />
      ) : null}
      <OptionFields widget={widget} fault={faults[`${base}/options`]} change={change} />
      <button class="danger" onClick={remove}>
        Remove
      </button>
    </div>
  )
}

/** What is bound does not fit the widget. */
function wrongType({ type }: WidgetOutput, message: Message | undefined): string | undefined {
  if (!message || message.dtype === 'any') return undefined
  const isNumber = message.dtype === 'float' || message.dtype === 'int'
  if ((type === 'gauge' || type === 'slider') && !isNumber)
    return `It needs numbers; this message has ${JSON.stringify(message.dtype)}.`
  return undefined
}

interface KeptProps {
  readonly label: string
  readonly about?: string
  readonly value: string
  readonly fault?: string | undefined
  /** Takes what was typed when somebody goes on. */
  readonly keep: (value: string) => void
}

function Kept({ label, about, value, fault, keep }: KeptProps) {
  const [text, setText] = useState<string | null>(null)
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its field is what is left
    <div
      onBlur={() => {
        if (text !== null && text !== value) keep(text)
        setText(null)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && text !== null) keep(text)
      }}
    >
      <TextField label={label} about={about} value={text ?? value} change={setText} fault={fault} />
    </div>
  )
}

function MessageField({
  messages,
  value,
  about,
  fault,
  keep,
}: Omit<KeptProps, 'label'> & { readonly messages: readonly Message[] }) {
  const list = useId()
  return (
    <Field label="Message" about={about} fault={fault}>
      {(tied) => (
        <>
          <input
            {...tied}
            list={list}
            defaultValue={value}
            key={value}
            placeholder="none"
            onChange={({ currentTarget }) => keep(currentTarget.value.trim())}
          />
          <datalist id={list}>
            {messages.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

const kinds = [
  ['none', 'the message alone'],
  ['messages', 'several messages'],
  ['latest', 'the newest runs of a flow'],
  ['group', 'the runs of a sweep'],
  ['ids', 'chosen runs'],
] as const
type Kind = (typeof kinds)[number][0]

function kindOf(source: ChartSourceOutput | null): Kind {
  if (source === null) return 'none'
  if (source.kind === 'messages') return 'messages'
  if ('latest' in source.select) return 'latest'
  return 'group_id' in source.select ? 'group' : 'ids'
}

interface SourceFieldsProps {
  readonly source: ChartSourceOutput | null
  readonly fault: string | undefined
  readonly change: (source: ChartSourceOutput | null) => void
}

/** What is typed becomes a source when all that it needs is there. */
function SourceFields({ source, fault, change }: SourceFieldsProps) {
  const [kind, setKind] = useState(() => kindOf(source))
  const runs = source?.kind === 'runs' ? source : null
  const [typed, setTyped] = useState(() => ({
    messages: source?.kind === 'messages' ? source.messages.join(' ') : '',
    window: source?.kind === 'messages' ? String(source.window_s ?? '') : '',
    flow: runs && 'flow' in runs.select ? runs.select.flow : '',
    latest: runs && 'latest' in runs.select ? String(runs.select.latest) : '5',
    group: runs && 'group_id' in runs.select ? runs.select.group_id : '',
    ids: runs && 'ids' in runs.select ? runs.select.ids.join(' ') : '',
    metrics: runs?.metrics.join(' ') ?? '',
    x: runs?.x ?? '',
  }))
  const set = (next: typeof typed, of: Kind = kind): void => {
    setTyped(next)
    const made = sourceOf(of, next)
    if (made !== undefined) change(made)
  }
  const text = (key: keyof typeof typed, label: string, about: string) => (
    <Kept key={key} label={label} about={about} value={typed[key]} keep={(value) => set({ ...typed, [key]: value })} />
  )
  return (
    <>
      <ChoiceField
        label="Shows"
        value={kind}
        options={kinds}
        fault={fault}
        change={(next) => {
          setKind(next as Kind)
          set(typed, next as Kind)
        }}
      />
      {kind === 'messages'
        ? [
            text('messages', 'Messages', 'with spaces between them'),
            text('window', 'How far back', 'seconds; default: all'),
          ]
        : null}
      {kind === 'latest' ? [text('flow', 'Flow', ''), text('latest', 'How many', 'runs')] : null}
      {kind === 'group' ? text('group', 'Sweep', 'its id') : null}
      {kind === 'ids' ? text('ids', 'Runs', 'their ids, with spaces between them') : null}
      {kind === 'latest' || kind === 'group' || kind === 'ids'
        ? [
            text('metrics', 'Curves', 'fit.loss; without any, results are shown'),
            text('x', 'Over', 'step (default) or time'),
          ]
        : null}
    </>
  )
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

/** Undefined while something is missing. */
function sourceOf(
  kind: Kind,
  typed: Readonly<Record<'messages' | 'window' | 'flow' | 'latest' | 'group' | 'ids' | 'metrics' | 'x', string>>,
): ChartSourceOutput | null | undefined {
  if (kind === 'none') return null
  if (kind === 'messages') {
    const messages = words(typed.messages)
    if (messages.length === 0) return undefined
    return { kind: 'messages', messages, ...(typed.window.trim() === '' ? {} : { window_s: Number(typed.window) }) }
  }
  const rest = { metrics: words(typed.metrics), ...(typed.x.trim() === '' ? {} : { x: typed.x.trim() }) }
  if (kind === 'latest')
    return typed.flow.trim() === ''
      ? undefined
      : { kind: 'runs', select: { latest: Number(typed.latest), flow: typed.flow.trim() }, ...rest }
  if (kind === 'group')
    return typed.group.trim() === '' ? undefined : { kind: 'runs', select: { group_id: typed.group.trim() }, ...rest }
  const ids = words(typed.ids)
  return ids.length === 0 ? undefined : { kind: 'runs', select: { ids }, ...rest }
}

interface OptionFieldsProps {
  readonly widget: WidgetOutput
  readonly fault: string | undefined
  readonly change: (widget: WidgetOutput) => void
}

/** The options of each type: texts, numbers and truths by their names, anything else as JSON. */
const optionsOf: Readonly<
  Record<
    WidgetOutput['type'],
    readonly (readonly [key: string, label: string, is: 'text' | 'number' | 'flag' | 'json'])[]
  >
> = {
  value: [
    ['unit', 'Unit', 'text'],
    ['decimals', 'Digits behind the point', 'number'],
  ],
  gauge: [
    ['min', 'Min', 'number'],
    ['max', 'Max', 'number'],
    ['unit', 'Unit', 'text'],
    ['thresholds', 'Levels', 'json'],
  ],
  chart: [
    ['log_x', 'Logarithmic across', 'flag'],
    ['log_y', 'Logarithmic up', 'flag'],
    ['smoothing', 'Smooth', 'number'],
    ['unit', 'Unit', 'text'],
  ],
  table: [
    ['columns', 'Columns', 'json'],
    ['limit', 'Rows at most', 'number'],
  ],
  image: [['artifact', 'Picture', 'json']],
  text: [['markdown', 'Text', 'text']],
  button: [
    ['label', 'Label', 'text'],
    ['value', 'Publishes', 'json'],
  ],
  switch: [
    ['on', 'On publishes', 'json'],
    ['off', 'Off publishes', 'json'],
  ],
  slider: [
    ['min', 'Min', 'number'],
    ['max', 'Max', 'number'],
    ['step', 'Step', 'number'],
  ],
  input: [['placeholder', 'Placeholder', 'text']],
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function OptionFields({ widget, fault, change }: OptionFieldsProps) {
  const [wrong, setWrong] = useState<string | null>(null)
  const options: Readonly<Record<string, unknown>> = widget.options
  const set = (key: string, value: unknown): void => {
    setWrong(null)
    const { [key]: _, ...others } = options
    // the engine says what does not fit
    change({ ...widget, options: value === undefined ? others : { ...others, [key]: value } } as WidgetOutput)
  }
  const read = (key: string, is: 'text' | 'number' | 'json', text: string): void => {
    if (text === '') return set(key, is === 'text' && key === 'markdown' ? '' : undefined)
    if (is === 'text') return set(key, text)
    try {
      set(key, JSON.parse(text))
    } catch {
      setWrong(`"${text}" is no ${is === 'number' ? 'number' : 'JSON'}.`)
    }
  }
  return (
    <>
      {optionsOf[widget.type].map(([key, label, is]) =>
        is === 'flag' ? (
          <label key={key} class="choice">
            <input
              type="checkbox"
              checked={options[key] === true}
              onChange={({ currentTarget }) => set(key, currentTarget.checked ? true : undefined)}
            />{' '}
            {label}
          </label>
        ) : key === 'markdown' ? (
          <Field key={key} label={label} about="Markdown">
            {(tied) => (
              <textarea
                {...tied}
                rows={12}
                value={textOf(options[key])}
                onChange={({ currentTarget }) => set(key, currentTarget.value)}
              />
            )}
          </Field>
        ) : (
          <Kept
            key={key}
            label={label}
            about={is === 'json' ? 'JSON' : ''}
            value={
              is === 'text' ? textOf(options[key]) : options[key] === undefined ? '' : JSON.stringify(options[key])
            }
            keep={(text) => read(key, is, text)}
          />
        ),
      )}
      {(wrong ?? fault) === undefined || (wrong ?? fault) === null ? null : (
        <p class="fault" role="alert">
          {wrong ?? fault}
        </p>
      )}
    </>
  )
}
