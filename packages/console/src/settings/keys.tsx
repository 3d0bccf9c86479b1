/** Keys by which programs sign in as you, within scopes. A key is shown once. */
import type { ApiKey, ApiKeyMinted } from '@flow-service/client-sdk'
import type { Scope } from '@flow-service/protocol/words'
import { useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { ago } from '../format.ts'
import { now } from '../live/clock.ts'
import { Copied } from '../parts/copied.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { ChoiceField, Form, TextField } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { say } from '../parts/toast.tsx'
import { lifetimes, Scopes } from './scopes.tsx'

const PATH = '/keys'

type Asked =
  | { readonly what: 'new' }
  | { readonly what: 'made'; readonly made: ApiKeyMinted }
  | { readonly what: 'revoke'; readonly key: ApiKey }
  | null

export function Keys() {
  const [asked, ask] = useState<Asked>(null)
  return (
    <>
      <List<ApiKey>
        path={PATH}
        name="Keys"
        keyOf={({ id }) => id}
        none={[
          'No keys yet',
          'A program that sends a key is signed in as you, within the scopes that you give the key.',
        ]}
        columns={[
          { title: 'Name', show: ({ name }) => name },
          { title: 'Begins with', show: ({ prefix }) => <code>{prefix}…</code> },
          { title: 'May', is: 'wrap', show: ({ scopes }) => scopes.join(', ') },
          { title: 'Used', show: ({ last_used_at: ts }) => (ts === null ? 'never' : <Ago ts={ts} />) },
          { title: 'State', show: stateOf },
          {
            title: '',
            show: (key) =>
              isLive(key) ? (
                <span class="row-actions">
                  <button onClick={() => ask({ what: 'revoke', key })}>Revoke</button>
                </span>
              ) : null,
          },
        ]}
      >
        <button class="primary" onClick={() => ask({ what: 'new' })}>
          New key
        </button>
        <small>For programs: a key is sent as a bearer token.</small>
      </List>
      {asked?.what === 'new' ? <NewKey close={() => ask(null)} done={(made) => ask({ what: 'made', made })} /> : null}
      {asked?.what === 'made' ? <Made made={asked.made} close={() => ask(null)} /> : null}
      {asked?.what === 'revoke' ? (
        <Confirm
          title={`Revoke ${asked.key.name}?`}
          verb="Revoke"
          close={() => ask(null)}
          act={async () => {
            await post(`${PATH}/${encodeURIComponent(asked.key.id)}/revoke`)
            say(`${asked.key.name} is revoked`)
            await load(PATH)
          }}
        >
          <p>Requests with it are refused from now on, and its sockets close.</p>
        </Confirm>
      ) : null}
    </>
  )
}

const Ago = ({ ts }: { ts: string }) => <span title={ts}>{ago(ts, now.value)}</span>

const isLive = ({ revoked_at: revoked, expires_at: expires }: Pick<ApiKey, 'revoked_at' | 'expires_at'>): boolean =>
  revoked === null && (expires === null || Date.parse(expires) > now.value)

const stateOf = ({ revoked_at: revoked, expires_at: expires }: ApiKey) => {
  if (revoked !== null) return <span title={revoked}>revoked</span>
  if (expires === null) return 'good for ever'
  return (
    <span title={expires}>{Date.parse(expires) > now.value ? `good until ${expires.slice(0, 10)}` : 'expired'}</span>
  )
}

interface NewKeyProps {
  readonly close: () => void
  readonly done: (made: ApiKeyMinted) => void
}

function NewKey({ close, done }: NewKeyProps) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['flows:read', 'runs:read'])
  const [days, setDays] = useState('90')
  const submit = async (): Promise<void> => {
    const made = await post<ApiKeyMinted>(PATH, {
      name: name.trim(),
      scopes,
      expires_in_days: days === 'never' ? null : Number(days),
    })
    await load(PATH)
    done(made)
  }
  return (
    <Dialog title="New key" close={close}>
      <Form
        fields={['/name', '/scopes', '/expires_in_days']}
        verb="Make it"
        submit={submit}
        isReady={name.trim() !== '' && scopes.length > 0}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at }) => (
          <>
            <TextField label="Name" about="what it is for" value={name} change={setName} fault={at['/name']} />
            <Scopes chosen={scopes} change={setScopes} fault={at['/scopes']} />
            <ChoiceField
              label="Good for"
              options={[...lifetimes, ['never', 'ever']]}
              value={days}
              change={setDays}
              fault={at['/expires_in_days']}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}

const Made = ({ made, close }: { made: ApiKeyMinted; close: () => void }) => (
  <Dialog title={`The key ${made.name}`} close={close}>
    <p>It is shown this once: take it along now.</p>
    <Copied text={made.key} label="the key" />
    <p>Try it:</p>
    <Copied
      text={`curl -H "Authorization: Bearer ${made.key}" ${new URL('../api/v1/users/me', document.baseURI).href}`}
      label="the command"
    />
    <div class="go">
      <button class="primary" onClick={close}>
        I have it
      </button>
    </div>
  </Dialog>
)
