/** What is done with a flow as a whole in the list of flows, and the dialogs that ask before. */
import type { Flow, FlowListItem } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { call, get, post } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { saveJson } from '../parts/download.ts'
import { Form, TextField } from '../parts/form.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import { go } from '../router.ts'
import { ImportFlow, NewFlow } from './new-flow.tsx'

/** Of the list in the API. */
export const FLOWS = '/flows/'

/** What a dialog is open for. */
export type Asked =
  | { readonly what: 'new' | 'import' }
  | { readonly what: 'rename' | 'duplicate' | 'delete'; readonly flow: FlowListItem }

const pathOf = ({ name }: Pick<Flow, 'name'>): string => `/flows/${encodeURIComponent(name)}`

/** Words of the API, and what is said when it is done. */
const verbs: Readonly<Record<string, readonly [verb: string, title: string, done: string, icon: IconName][]>> = {
  active: [
    ['pause', 'Pause', 'paused: what arrives is held', 'pause'],
    ['stop', 'Stop', 'stopped', 'stop'],
  ],
  paused: [
    ['resume', 'Resume', 'it goes on', 'play'],
    ['stop', 'Stop', 'stopped', 'stop'],
  ],
  stopped: [['start', 'Start', 'started', 'play']],
  failed: [['start', 'Start', 'started', 'play']],
}

export function FlowActions({ of: flow, ask }: { of: FlowListItem; ask: (asked: Asked) => void }) {
  const act = async (work: () => Promise<unknown>, done?: string): Promise<void> => {
    try {
      await work()
      if (done !== undefined) say(`${flow.name}: ${done}`)
    } catch (problem) {
      sayFault(problem)
    }
    await load(FLOWS)
  }
  const inCode = flow.origin === 'code' ? 'It is defined in code: change it there' : undefined
  const known = flow.mode === 'live' && flow.published_version !== null ? (verbs[flow.status] ?? []) : []
  return (
    <span class="row-actions">
      {known.map(([verb, title, done, icon]) => (
        <button
          key={verb}
          class="bare"
          aria-label={`${title} ${flow.name}`}
          onClick={() => void act(() => post(`${pathOf(flow)}/${verb}`), done)}
        >
          <Icon name={icon} /> {title}
        </button>
      ))}
      {flow.mode === 'batch' && flow.published_version !== null ? (
        <button
          class="bare"
          aria-label={`Run ${flow.name}`}
          onClick={() => go(`/runs/new?${new URLSearchParams({ flow: flow.name })}`)}
        >
          <Icon name="play" /> Run
        </button>
      ) : null}
      <button class="bare" onClick={() => void act(() => saveAsFile(flow))} title="Save the document as a file">
        Export
      </button>
      <button class="bare" onClick={() => ask({ what: 'duplicate', flow })}>
        Copy
      </button>
      <button class="bare" disabled={inCode !== undefined} title={inCode} onClick={() => ask({ what: 'rename', flow })}>
        Rename
      </button>
      <button class="bare" disabled={inCode !== undefined} title={inCode} onClick={() => ask({ what: 'delete', flow })}>
        Delete
      </button>
    </span>
  )
}

/** What of a flow another engine takes: without what this one says of it. */
async function saveAsFile(of: FlowListItem): Promise<void> {
  const flow = await get<Flow>(pathOf(of))
  const { name, title, description, mode, inputs, outputs, nodes, resources, concurrency, layout } = flow
  const document = { name, title, description, mode, inputs, outputs, nodes, resources, concurrency, layout }
  saveJson(name, document)
}

export function Asking({ asked, close }: { asked: Asked; close: () => void }) {
  if (!('flow' in asked)) return asked.what === 'new' ? <NewFlow close={close} /> : <ImportFlow close={close} />
  const { flow, what } = asked
  if (what !== 'delete') return <Named flow={flow} what={what} close={close} />
  const act = async (): Promise<void> => {
    await call('DELETE', pathOf(flow))
    say(`${flow.name} is deleted`)
    await load(FLOWS)
  }
  return (
    <Confirm title={`Delete ${flow.name}?`} verb="Delete" act={act} close={close}>
      <p>The flow, its draft and its versions go. Its runs stay.</p>
      {flow.status === 'active' || flow.status === 'paused' ? <p>It is {flow.status}, and stops at once.</p> : null}
    </Confirm>
  )
}

interface NamedProps {
  readonly flow: FlowListItem
  readonly what: 'rename' | 'duplicate'
  readonly close: () => void
}

/** Gives a flow, or a copy of it, a name. */
function Named({ flow, what, close }: NamedProps) {
  const [name, setName] = useState(what === 'rename' ? flow.name : `${flow.name}_copy`)
  const submit = async (): Promise<void> => {
    const made = await post<Flow>(`${pathOf(flow)}/${what}`, { name: name.trim() })
    close()
    await load(FLOWS)
    if (what === 'duplicate') go(pathOf(made))
    else say(`${flow.name} is called ${made.name} now`)
  }
  return (
    <Dialog title={what === 'rename' ? `Rename ${flow.name}` : `Copy ${flow.name}`} close={close}>
      <Form
        fields={['/name']}
        verb={what === 'rename' ? 'Rename' : 'Copy'}
        submit={submit}
        isReady={name.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at }) => (
          <TextField label="Name" about="letters, digits and _" value={name} change={setName} fault={at['/name']} />
        )}
      </Form>
    </Dialog>
  )
}
