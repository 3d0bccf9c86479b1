/** Agents that act for you over MCP: their tokens, and the clients that may ask for one. */
import type { AgentToken, AgentTokenMinted, OAuthClient, User } from '@flow-service/client-sdk'
import type { Scope } from '@flow-service/protocol/words'
import { useState } from 'preact/hooks'

import { call, post } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { ago } from '../format.ts'
import { now } from '../live/clock.ts'
import { Copied } from '../parts/copied.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { ChoiceField, Form, TextField } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { say } from '../parts/toast.tsx'
import { lifetimes, Scopes } from './scopes.tsx'

const [TOKENS, CLIENTS] = ['/oauth/tokens', '/oauth/clients']

type Asked =
  | { readonly what: 'new' }
  | { readonly what: 'client' }
  | { readonly what: 'made'; readonly made: AgentTokenMinted }
  | { readonly what: 'revoke'; readonly token: AgentToken }
  | { readonly what: 'remove'; readonly client: OAuthClient }
  | null

export function Agents({ user }: { user: User }) {
  const [asked, ask] = useState<Asked>(null)
  const close = (): void => ask(null)
  return (
    <>
      <List<AgentToken>
        path={TOKENS}
        name="Tokens of agents"
        keyOf={({ id }) => id}
        none={[
          'No agent acts for you',
          <>
            An agent reads and does here what you let it, over MCP at <code>{mcpAddress()}</code>.
          </>,
        ]}
        columns={[
          { title: 'Agent', show: ({ client }) => client },
          { title: 'By', show: ({ origin }) => (origin === 'minted' ? 'a token' : 'consent in a browser') },
          { title: 'May', is: 'wrap', show: ({ scopes }) => scopes.join(', ') },
          {
            title: 'Used',
            show: ({ last_used_at: ts }) => (ts === null ? 'never' : <span title={ts}>{ago(ts, now.value)}</span>),
          },
          {
            title: 'State',
            show: ({ revoked_at: revoked, expires_at: expires }) =>
              revoked !== null
                ? 'revoked'
                : Date.parse(expires) > now.value
                  ? `until ${expires.slice(0, 10)}`
                  : 'expired',
          },
          {
            title: '',
            show: (token) =>
              token.revoked_at === null ? (
                <span class="row-actions">
                  <button onClick={() => ask({ what: 'revoke', token })}>Revoke</button>
                </span>
              ) : null,
          },
        ]}
      >
        <button class="primary" onClick={() => ask({ what: 'new' })}>
          New token
        </button>
        <small>It acts for you, within its scopes and never beyond what you may.</small>
      </List>
      {user.is_superuser ? (
        <>
          <h2>Clients that may ask users</h2>
          <List<OAuthClient>
            path={CLIENTS}
            name="Clients"
            keyOf={({ id }) => id}
            none={['No clients', 'A program that asks its users in the browser is made known here first.']}
            columns={[
              { title: 'Name', show: ({ name }) => name },
              { title: 'Id', show: ({ id }) => <code>{id}</code> },
              { title: 'Sends users back to', is: 'wrap', show: ({ redirect_uris: to }) => to.join(', ') },
              {
                title: '',
                show: (client) => (
                  <span class="row-actions">
                    <button onClick={() => ask({ what: 'remove', client })}>Remove</button>
                  </span>
                ),
              },
            ]}
          >
            <button onClick={() => ask({ what: 'client' })}>New client</button>
          </List>
        </>
      ) : null}
      {asked ? <Asking asked={asked} ask={ask} close={close} /> : null}
    </>
  )
}

/** Where agents come in. */
export const mcpAddress = (): string => new URL('../mcp', document.baseURI).href

interface AskingProps {
  readonly asked: NonNullable<Asked>
  readonly ask: (asked: Asked) => void
  readonly close: () => void
}

function Asking({ asked, ask, close }: AskingProps) {
  if (asked.what === 'new') return <NewToken close={close} done={(made) => ask({ what: 'made', made })} />
  if (asked.what === 'client') return <NewClient close={close} />
  if (asked.what === 'made') {
    return (
      <Dialog title={`The token of ${asked.made.client}`} close={close}>
        <p>It is shown this once. Give it to the agent as SERVICE_TOKEN.</p>
        <Copied text={asked.made.token} label="the token" />
        <div class="go">
          <button class="primary" onClick={close}>
            I have it
          </button>
        </div>
      </Dialog>
    )
  }
  if (asked.what === 'revoke') {
    const { token } = asked
    return (
      <Confirm
        title={`Revoke the token of ${token.client}?`}
        verb="Revoke"
        close={close}
        act={async () => {
          await post(`${TOKENS}/${encodeURIComponent(token.id)}/revoke`)
          say(`${token.client} acts for you no more`)
          await load(TOKENS)
        }}
      >
        <p>The agent is refused from now on.</p>
      </Confirm>
    )
  }
  const { client } = asked
  return (
    <Confirm
      title={`Remove ${client.name}?`}
      verb="Remove"
      close={close}
      act={async () => {
        await call('DELETE', `${CLIENTS}/${encodeURIComponent(client.id)}`)
        say(`${client.name} is removed`)
        await load(CLIENTS)
      }}
    >
      <p>It cannot ask anybody any more, and what it was let do ends.</p>
    </Confirm>
  )
}

interface NewTokenProps {
  readonly close: () => void
  readonly done: (made: AgentTokenMinted) => void
}

function NewToken({ close, done }: NewTokenProps) {
  const [client, setClient] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['flows:read', 'runs:read', 'observability:read'])
  const [days, setDays] = useState('30')
  const submit = async (): Promise<void> => {
    const made = await post<AgentTokenMinted>(TOKENS, { client: client.trim(), scopes, expires_in_days: Number(days) })
    await load(TOKENS)
    done(made)
  }
  return (
    <Dialog title="New token for an agent" close={close}>
      <Form
        fields={['/client', '/scopes', '/expires_in_days']}
        verb="Make it"
        submit={submit}
        isReady={client.trim() !== '' && scopes.length > 0}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at }) => (
          <>
            <TextField
              label="Agent"
              about="its name, which the audit trail shows"
              value={client}
              change={setClient}
              fault={at['/client']}
            />
            <Scopes chosen={scopes} change={setScopes} fault={at['/scopes']} />
            <ChoiceField
              label="Good for"
              options={lifetimes}
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

function NewClient({ close }: { close: () => void }) {
  const [name, setName] = useState('')
  const [uris, setUris] = useState('')
  const submit = async (): Promise<void> => {
    const made = await post<OAuthClient>(CLIENTS, {
      name: name.trim(),
      redirect_uris: uris.split(/\s+/).filter(Boolean),
    })
    say(`${made.name} may ask users: its id is ${made.id}`)
    close()
    await load(CLIENTS)
  }
  return (
    <Dialog title="New client" close={close}>
      <Form
        fields={['/name', '/redirect_uris']}
        verb="Add"
        submit={submit}
        isReady={name.trim() !== '' && uris.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at }) => (
          <>
            <TextField label="Name" about="what users are shown" value={name} change={setName} fault={at['/name']} />
            <TextField
              label="Sends users back to"
              about="https, or http on their own machine; several with spaces between them"
              value={uris}
              change={setUris}
              fault={at['/redirect_uris']}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}
