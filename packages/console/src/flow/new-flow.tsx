/** Flows that come to be here: an empty one, and one from a JSON document. Both are drafts until they are published. */
import type { Flow } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { call, Problem } from '../api/call.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ChoiceField, Field, Form, TextField } from '../parts/form.tsx'
import { go } from '../router.ts'

const modes = [
  ['live', 'live: reacts to events while it is active'],
  ['batch', 'batch: runs once for each set of parameters'],
] as const

const create = async (name: string, document: object): Promise<void> => {
  const made = await call<Flow>('PUT', `/flows/${encodeURIComponent(name)}`, { ...document, version: 0 })
  go(`/flows/${encodeURIComponent(made.name)}`)
}

export function NewFlow({ close }: { close: () => void }) {
  const [name, setName] = useState('')
  const [title, setTitle] = useState('')
  const [mode, setMode] = useState<string>('live')
  return (
    <Dialog title="New flow" close={close}>
      <Form
        fields={['/name', 'path.name', '/title']}
        verb="Create"
        submit={() => create(name.trim(), { title, mode })}
        isReady={name.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at }) => (
          <>
            <TextField
              label="Name"
              about="letters, digits and _; messages are called by it"
              value={name}
              change={setName}
              fault={at['/name'] ?? at['path.name']}
            />
            <TextField label="Title" about="for people" value={title} change={setTitle} fault={at['/title']} />
            <ChoiceField label="Mode" options={modes} value={mode} change={setMode} />
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** Of the document that an export, or `service flows get`, has written. */
export function ImportFlow({ close }: { close: () => void }) {
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const submit = async (): Promise<void> => {
    const document = documentOf(text)
    const own = document['name']
    const wanted = name.trim() === '' && typeof own === 'string' ? own : name.trim()
    if (wanted === '') throw new Error('The document has no name: give one.')
    await create(wanted, { ...document, name: wanted })
  }
  const read = async (file: File | undefined): Promise<void> => setText((await file?.text()) ?? '')
  return (
    <Dialog title="Import a flow" close={close} isWide>
      <Form
        fields={['/name', 'path.name']}
        verb="Import"
        submit={submit}
        isReady={text.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at }) => (
          <>
            <Field label="File">
              {(tied) => (
                <input
                  {...tied}
                  type="file"
                  accept="application/json,.json"
                  onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
                />
              )}
            </Field>
            <Field label="Document" about="JSON">
              {(tied) => (
                <textarea
                  {...tied}
                  class="mono"
                  rows={14}
                  spellcheck={false}
                  value={text}
                  onInput={({ currentTarget }) => setText(currentTarget.value)}
                />
              )}
            </Field>
            <TextField
              label="Name"
              about="default: that of the document"
              value={name}
              change={setName}
              fault={at['/name'] ?? at['path.name']}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}

function documentOf(text: string): Readonly<Record<string, unknown>> {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw new Problem(0, 'malformed_json', `This is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new Problem(0, 'malformed_json', 'The document of a flow is a JSON object.')
  return document as Readonly<Record<string, unknown>>
}
