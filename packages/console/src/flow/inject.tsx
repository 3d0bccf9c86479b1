/** Tries a node: values for its inputs run it, a value for an output is published as if it had come from the node. */
import type { Flow, Node, Port, TriggerResult } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { post, Problem } from '../api/call.ts'
import { Form, TextField } from '../parts/form.tsx'
import { say } from '../parts/toast.tsx'
import { typedValue } from '../parts/typed-value.ts'
import { INPUTS, OUTPUTS } from './graph.ts'

interface InjectProps {
  readonly flow: Flow
  readonly node: Node
  /** Of the node in the API. */
  readonly at: string
}

export function Inject({ flow, node, at }: InjectProps) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  if (node.id === OUTPUTS) return null
  const isRunning = flow.status === 'active' || flow.status === 'paused'
  const inputs = node.ports.filter(({ direction }) => direction === 'input')
  // a node without inputs acts by itself, or one of its outputs is given a value
  const ports = inputs.length > 0 ? inputs : node.ports
  const given = ports.filter(({ port }) => (texts[port] ?? '').trim() !== '')
  const send = async (): Promise<void> => {
    const values = Object.fromEntries(given.map((port) => [port.port, typedValue(texts[port.port] ?? '', port.dtype)]))
    if (node.id === INPUTS) {
      for (const port of given) {
        // oxlint-disable-next-line no-await-in-loop -- in the order of the fields
        await put(port, values[port.port])
      }
      say('Published')
      return
    }
    await post<TriggerResult>(`${at}/trigger`, given.length === 0 ? {} : { values })
    say(inputs.length > 0 || given.length === 0 ? 'The node runs' : 'Published')
  }
  return (
    <details class="inject">
      <summary>{inputs.length > 0 ? 'Run it with values' : 'Try it'}</summary>
      {isRunning ? (
        <Form
          fields={ports.map(({ port }) => `/values/${port}`)}
          verb={inputs.length > 0 ? 'Run' : 'Send'}
          submit={send}
          isReady={node.id !== INPUTS || given.length > 0}
        >
          {({ at: faults }) =>
            ports.map((port) => (
              <TextField
                key={port.port}
                label={port.port}
                about={typeof port.dtype === 'string' ? port.dtype : 'JSON'}
                fault={faults[`/values/${port.port}`]}
                placeholder={inputs.length > 0 ? 'its last value' : ''}
                value={texts[port.port] ?? ''}
                change={(text) => setTexts({ ...texts, [port.port]: text })}
              />
            ))
          }
        </Form>
      ) : (
        <p class="hint">Start the flow first.</p>
      )}
    </details>
  )
}

/** Gives a message a value from outside; what is wrong with it is told of its field. */
async function put({ message, port }: Port, value: unknown): Promise<void> {
  try {
    await post(`/messages/${encodeURIComponent(message)}`, { value })
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error
    const errors = error.errors.map(({ path, message: text }) => ({
      path: path.replace('/value', `/values/${port}`),
      message: text,
    }))
    throw new Problem(error.status, error.code, error.message, { errors })
  }
}
