/** Secrets by their names: their values are set here and shown nowhere. */
import type { SecretUsage, User } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { call } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { ago } from '../format.ts'
import { now } from '../live/clock.ts'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { say } from '../parts/toast.tsx'

const PATH = '/secrets/usage'

type Asked = { readonly what: 'set' | 'delete'; readonly name: string } | null

export function Secrets({ user }: { user: User }) {
  const [asked, ask] = useState<Asked>(null)
  const may = user.is_superuser
  return (
    <>
      <List<SecretUsage>
        path={PATH}
        name="Secrets"
        keyOf={({ name }) => name}
        none={[
          'No secrets yet',
          <>
            Passwords and tokens that nodes use by their name: <code>{'{"$secret": "mqtt_password"}'}</code>. They are
            stored encrypted, and shown to nobody.
          </>,
        ]}
        columns={[
          { title: 'Name', show: ({ name }) => <code>{name}</code> },
          { title: 'Used by', is: 'wrap', show: (secret) => <Uses of={secret} /> },
          {
            title: 'Last set',
            show: ({ updated_at: ts }) => <span title={ts}>{ago(ts, now.value)}</span>,
          },
          {
            title: '',
            show: ({ name }) =>
              may ? (
                <span class="row-actions">
                  <button onClick={() => ask({ what: 'set', name })}>Replace</button>
                  <button onClick={() => ask({ what: 'delete', name })}>Delete</button>
                </span>
              ) : null,
          },
        ]}
      >
        <button
          class="primary"
          disabled={!may}
          title={may ? undefined : 'Superusers set secrets'}
          onClick={() => ask({ what: 'set', name: '' })}
        >
          New secret
        </button>
        <small>Values are never shown again, to anybody.</small>
      </List>
      {asked?.what === 'set' ? <SetSecret name={asked.name} close={() => ask(null)} /> : null}
      {asked?.what === 'delete' ? (
        <Confirm
          title={`Delete the secret ${asked.name}?`}
          verb="Delete"
          close={() => ask(null)}
          act={async () => {
            await call('DELETE', `/secrets/${encodeURIComponent(asked.name)}`)
            say(`${asked.name} is deleted`)
            await load(PATH)
          }}
        >
          <p>Its value cannot be brought back. A secret that is in use stays.</p>
        </Confirm>
      ) : null}
    </>
  )
}

const Uses = ({ of: { used_by: nodes, others } }: { of: SecretUsage }) => (
  <>
    {nodes.map(({ flow, node }, index) => (
      <span key={`${flow} ${node}`}>
        {index === 0 ? '' : ', '}
        <a href={`#/flows/${encodeURIComponent(flow)}?${new URLSearchParams({ node })}`}>
          {flow}.{node}
        </a>
      </span>
    ))}
    {others.length === 0 ? null : `${nodes.length === 0 ? '' : ', '}${others.join(', ')}`}
    {nodes.length + others.length === 0 ? <span class="hint">nothing</span> : null}
  </>
)

function SetSecret({ name: known, close }: { name: string; close: () => void }) {
  const [name, setName] = useState(known)
  const [value, setValue] = useState('')
  const submit = async (): Promise<void> => {
    const sent = value
    // it leaves the page whatever the engine says
    setValue('')
    await call('PUT', `/secrets/${encodeURIComponent(name.trim())}`, { value: sent })
    say(`${name.trim()} is set`)
    close()
    await load(PATH)
  }
  return (
    <Dialog title={known === '' ? 'New secret' : `Set ${known} anew`} close={close}>
      <Form
        fields={['/name', 'path.name', '/value']}
        verb="Set"
        submit={submit}
        isReady={name.trim() !== '' && value !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at }) => (
          <>
            {known === '' ? (
              <TextField
                label="Name"
                about="letters, digits and _"
                value={name}
                change={setName}
                fault={at['path.name'] ?? at['/name']}
              />
            ) : null}
            <TextField
              label="Value"
              about="at least 8 characters, so that it is masked in logs"
              type="password"
              autocomplete="new-password"
              value={value}
              change={setValue}
              fault={at['/value']}
            />
            <p class="hint">Nodes of active flows that use it are made anew.</p>
          </>
        )}
      </Form>
    </Dialog>
  )
}
