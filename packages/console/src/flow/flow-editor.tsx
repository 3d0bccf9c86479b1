/** The flow itself in edit mode: what it is called, what comes in and goes out, and what its processes get. */
import type { Flow, JsonValue } from '@flow-service/client-sdk'

import { useResource } from '../api/resource.ts'
import { ChoiceField } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { anyText, itself, KeptText, type Read } from '../parts/kept-text.tsx'
import { anyOf, type Kind, numberOf, typedOf } from '../parts/schema.ts'
import { type Doc, freeName, messagesOf } from './document.ts'
import { setFlow } from './edit.ts'
import { capital, type Editing, useIsSuperuser } from './editing.ts'
import { Issues } from './node-editor.tsx'

type Put = (what: string, fields: Parameters<typeof setFlow>[0]) => void

const messageRead = (typed: string): Read<string> =>
  /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(typed) ? { value: typed } : { fault: 'Use letters, digits and "_".' }

export function FlowEditor({ editing }: { readonly editing: Editing }) {
  const { draft } = editing
  const doc = draft.doc.value
  const put: Put = (what, fields) => draft.edit(`${what} of the flow`, setFlow(fields), `flow ${what}`)
  const own = editing.issues.value.filter(({ node }) => node === null)
  const faultAt = (path: string): string | undefined => {
    const found = own.find((issue) => issue.path === path)
    return found && capital(found.message)
  }
  return (
    <div class="node-editor">
      <div class="fields">
        <KeptText
          label="Title"
          value={doc.title}
          read={anyText}
          write={itself}
          placeholder={editing.name}
          change={(title) => put('Title', { title })}
        />
        <KeptText
          label="Description"
          value={doc.description}
          read={anyText}
          write={itself}
          isLong
          change={(description) => put('Description', { description })}
        />
      </div>
      <Issues issues={own} />
      <Inputs doc={doc} put={put} faultAt={faultAt} />
      <Outputs doc={doc} put={put} faultAt={faultAt} />
      <Resources doc={doc} put={put} faultAt={faultAt} />
    </div>
  )
}

interface PartProps {
  readonly doc: Doc
  readonly put: Put
  readonly faultAt: (path: string) => string | undefined
}

const dtypes = ['any', 'float', 'int', 'str', 'bool', 'object', 'array', 'image', 'media', 'artifact'] as const

function Inputs({ doc: { inputs, ...doc }, put, faultAt }: PartProps) {
  const change = (at: number, fields: Partial<Flow['inputs'][number]>): void =>
    put('Inputs', { inputs: inputs.map((input, index) => (index === at ? { ...input, ...fields } : input)) })
  return (
    <section aria-label="Inputs of the flow">
      <h3>Inputs</h3>
      <p class="hint">Messages that come from outside, and the parameters of a run.</p>
      {inputs.map((input, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- names are what is typed
        <fieldset key={at} class="port-editor" aria-label={`Input ${input.name}`}>
          <KeptText
            label="Message"
            fault={faultAt(`/inputs/${at}/name`)}
            value={input.name}
            read={messageRead}
            write={itself}
            isLate
            change={(name) => change(at, { name })}
          />
          <KeptText<JsonValue | undefined>
            label="Initial"
            fault={faultAt(`/inputs/${at}/initial`)}
            value={input.initial ?? undefined}
            read={anyOf}
            write={typedOf}
            placeholder="none"
            change={(initial) => change(at, { initial: initial ?? null })}
          />
          <ChoiceField
            label="Type"
            value={input.dtype}
            options={dtypes.map((one) => [one, one])}
            change={(next) => change(at, { dtype: dtypes.find((one) => one === next) ?? 'any' })}
          />
          <div class="port-marks">
            <button
              type="button"
              class="bare"
              aria-label={`Remove input ${input.name}`}
              onClick={() => put('Inputs', { inputs: inputs.filter((_, index) => index !== at) })}
            >
              <Icon name="close" size={16} />
            </button>
          </div>
        </fieldset>
      ))}
      <button
        type="button"
        onClick={() => {
          const name = freeName('input', messagesOf({ ...doc, inputs }))
          put('Inputs', { inputs: [...inputs, { name, dtype: 'any', initial: null, title: '' }] })
        }}
      >
        <Icon name="add" size={16} /> Input
      </button>
    </section>
  )
}

function Outputs({ doc, put, faultAt }: PartProps) {
  const { outputs, nodes } = doc
  const produced = [
    ...new Set(
      nodes.flatMap(({ ports }) =>
        ports.flatMap(({ direction, name }) => (direction === 'output' && !name.includes('.') ? [name] : [])),
      ),
    ),
  ]
  const free = produced.filter((name) => !outputs.some((output) => output.name === name))
  return (
    <section aria-label="Outputs of the flow">
      <h3>Outputs</h3>
      <p class="hint">Messages that are the result of a run.</p>
      {outputs.map(({ name, port }, at) => (
        <p key={name} class="flow-output">
          <code>{name}</code> {port === name ? null : <small>as {port}</small>}
          <span class="grow" />
          {faultAt(`/outputs/${at}/name`) === undefined ? null : (
            <span class="fault">{faultAt(`/outputs/${at}/name`)}</span>
          )}
          <button
            type="button"
            class="bare"
            aria-label={`Remove output ${name}`}
            onClick={() => put('Outputs', { outputs: outputs.filter((_, index) => index !== at) })}
          >
            <Icon name="close" size={16} />
          </button>
        </p>
      ))}
      {free.length === 0 ? null : (
        <label class="choice">
          <span class="unseen">Message that becomes an output</span>
          <select
            value=""
            onChange={({ currentTarget: { value: name } }) => {
              if (name !== '') put('Outputs', { outputs: [...outputs, { name, port: name }] })
            }}
          >
            <option value="">Add a message</option>
            {free.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </section>
  )
}

const count: Extract<Kind, { is: 'number' }> = {
  is: 'number',
  isWhole: false,
  least: 0,
  most: null,
  above: null,
  below: null,
}
const whole: typeof count = { ...count, isWhole: true, least: 1 }
const read =
  (kind: typeof count) =>
  (typed: string): Read<number | undefined> => {
    const found = numberOf(typed, kind)
    return 'fault' in found ? found : { value: typeof found.value === 'number' ? found.value : undefined }
  }

function Resources({ doc: { resources, concurrency }, put, faultAt }: PartProps) {
  const { data: flavors = [] } = useResource<{ readonly name: string }[]>('/flavors/').value
  const isSuperuser = useIsSuperuser()
  const change = (what: string, fields: Partial<Doc['resources']>): void =>
    put(what, { resources: { ...resources, ...fields } })
  const amounts = [
    ['cpus', 'Processors'],
    ['gpus', 'GPUs'],
    ['memory', 'Memory, MB'],
  ] as const
  return (
    <details class="execution">
      <summary>
        <h3>Resources</h3>
      </summary>
      <div class="fields">
        <ChoiceField
          label="Flavor"
          fault={faultAt('/resources/flavor')}
          value={resources.flavor ?? ''}
          options={[['', 'none'], ...flavors.map(({ name }) => [name, name] as const)]}
          change={(next) => change('Flavor', { flavor: next === '' ? null : next })}
        />
        {amounts.map(([key, label]) => (
          <KeptText
            key={key}
            label={label}
            about="of a call"
            fault={faultAt(`/resources/${key}`)}
            value={resources[key] ?? undefined}
            read={read(count)}
            write={typedOf}
            placeholder="any"
            change={(next) => change(label, { [key]: next ?? null })}
          />
        ))}
        <KeptText
          label="Runs at once"
          fault={faultAt('/concurrency')}
          value={concurrency ?? undefined}
          read={read(whole)}
          write={typedOf}
          placeholder="no limit of its own"
          change={(next) => put('Runs at once', { concurrency: next ?? null })}
        />
        <KeptText
          label="Environment variables"
          about={isSuperuser ? 'NAME=value, one a line' : 'changed by superusers'}
          value={resources.env}
          isLong
          isDisabled={!isSuperuser}
          read={envRead}
          write={(env) =>
            Object.entries(env)
              .map(([name, value]) => `${name}=${value}`)
              .join('\n')
          }
          change={(env) => change('Environment', { env })}
        />
      </div>
    </details>
  )
}

function envRead(typed: string): Read<Record<string, string>> {
  const env: [string, string][] = []
  for (const line of typed.split('\n')) {
    if (line.trim() === '') continue
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return { fault: `"${line}" is no NAME=value.` }
    env.push([name, value])
  }
  return { value: Object.fromEntries(env) }
}
