/** Tries the draft once. Of a live flow one cascade runs in private: senders really send, and nothing goes to the catalogue. */
import type { JsonValue, LiveRunResult, Run } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { KeptText } from '../parts/kept-text.tsx'
import { anyOf, typedOf } from '../parts/schema.ts'
import { Status } from '../parts/status.tsx'
import { say } from '../parts/toast.tsx'
import { go } from '../router.ts'
import { type Editing, pathOf } from './editing.ts'

interface RunOnceProps {
  readonly editing: Editing
  readonly close: () => void
}

export function RunOnce({ editing, close }: RunOnceProps) {
  const { draft, name } = editing
  const { inputs, mode } = draft.doc.value
  const [values, setValues] = useState<Readonly<Record<string, JsonValue | undefined>>>({})
  const [result, setResult] = useState<LiveRunResult | null>(null)
  const run = async (): Promise<void> => {
    if (!(await draft.flush())) throw new Error(draft.problem.peek()?.message ?? 'The draft could not be saved.')
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
    const body = Object.keys(given).length === 0 ? {} : { inputs: given }
    if (mode === 'batch') {
      const made = await post<Run>(`${pathOf(name)}/run`, body)
      say('A run of the draft has begun.')
      go(`/runs/${made.id}`)
    } else setResult(await post<LiveRunResult>(`${pathOf(name)}/run`, body))
  }
  return (
    <Dialog title="Run the draft once" close={close} isWide={result !== null}>
      <p class="hint">
        {mode === 'batch'
          ? 'The run is marked as one of a draft, and publishes nothing.'
          : 'It runs apart from the active flow. Nodes that send, really send; no value goes to the catalogue.'}
      </p>
      <Form
        fields={inputs.map((input) => `/inputs/${input.name}`)}
        verb="Run once"
        submit={run}
        more={
          <button type="button" onClick={close}>
            Close
          </button>
        }
      >
        {(faults) =>
          inputs.map((input) => (
            <KeptText
              key={input.name}
              label={input.title || input.name}
              about={input.dtype}
              fault={faults.at[`/inputs/${input.name}`]}
              value={values[input.name]}
              read={anyOf}
              write={typedOf}
              placeholder={typedOf(input.initial ?? undefined)}
              change={(value) => setValues((known) => ({ ...known, [input.name]: value }))}
            />
          ))
        }
      </Form>
      {result ? <Result of={result} /> : null}
    </Dialog>
  )
}

function Result({ of: { status, values, nodes } }: { readonly of: LiveRunResult }) {
  const failed = nodes.filter(({ error }) => error !== null)
  return (
    <section aria-label="Result">
      <h3>
        <Status is={status === 'timed_out' ? 'abandoned' : status} /> {status.replace('_', ' ')}
      </h3>
      {failed.map(({ node, error }) => (
        <p key={node} class="fault">
          {node}: {error?.message}
        </p>
      ))}
      {Object.keys(values).length === 0 ? (
        <p class="hint">No message got a value. Without inputs, nodes that inject are fired.</p>
      ) : (
        <JsonView of={values} depth={1} />
      )}
    </section>
  )
}
