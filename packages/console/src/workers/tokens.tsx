/** Tokens by which workers attach: each is shown once, with the command to start a worker with it. */
import type { WorkerToken, WorkerTokenMinted } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { base, post } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { ago } from '../format.ts'
import { now } from '../live/clock.ts'
import { Copied } from '../parts/copied.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { say } from '../parts/toast.tsx'

const PATH = '/workers/tokens'

type Asked =
  | { readonly what: 'new' }
  | { readonly what: 'made'; readonly made: WorkerTokenMinted }
  | { readonly what: 'revoke'; readonly token: WorkerToken }
  | null

export function Tokens() {
  const [asked, ask] = useState<Asked>(null)
  const close = (): void => ask(null)
  return (
    <>
      <List<WorkerToken>
        path={PATH}
        name="Tokens of workers"
        keyOf={({ jti }) => jti}
        none={[
          'No tokens yet',
          'A worker attaches with a token; its name and labels decide which nodes, and with them which secrets, it gets.',
        ]}
        columns={[
          { title: 'Worker', show: ({ name }) => name },
          { title: 'Labels', is: 'wrap', show: ({ labels }) => labels.join(', ') },
          {
            title: 'Used',
            show: ({ last_used_at: ts }) => (ts === null ? 'never' : <span title={ts}>{ago(ts, now.value)}</span>),
          },
          { title: 'State', show: stateOf },
          { title: 'Made by', show: ({ provisioned }) => (provisioned ? 'the engine' : 'hand') },
          {
            title: '',
            show: (token) =>
              isLive(token) ? (
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
        <small>Valid for 365 days, or until it is revoked.</small>
      </List>
      {asked?.what === 'new' ? <NewToken close={close} done={(made) => ask({ what: 'made', made })} /> : null}
      {asked?.what === 'made' ? <Made made={asked.made} close={close} /> : null}
      {asked?.what === 'revoke' ? (
        <Confirm
          title={`Revoke the token of ${asked.token.name}?`}
          verb="Revoke"
          close={close}
          act={async () => {
            await post(`${PATH}/${encodeURIComponent(asked.token.jti)}/revoke`)
            say(`${asked.token.name} attaches no more`)
            await load(PATH)
          }}
        >
          <p>A worker that is attached with it is sent away at once; what it executes is tried elsewhere.</p>
        </Confirm>
      ) : null}
    </>
  )
}

const isLive = ({ revoked_at: revoked, expires_at: expires }: WorkerToken): boolean =>
  revoked === null && Date.parse(expires) > now.value

const stateOf = (token: WorkerToken): string => {
  if (token.revoked_at !== null) return 'revoked'
  return isLive(token) ? `until ${token.expires_at.slice(0, 10)}` : 'expired'
}

interface NewTokenProps {
  readonly close: () => void
  readonly done: (made: WorkerTokenMinted) => void
}

function NewToken({ close, done }: NewTokenProps) {
  const [name, setName] = useState('')
  const [labels, setLabels] = useState('')
  const submit = async (): Promise<void> => {
    const made = await post<WorkerTokenMinted>(PATH, {
      name: name.trim(),
      labels: labels.split(/[\s,]+/).filter(Boolean),
    })
    await load(PATH)
    done(made)
  }
  return (
    <Dialog title="New token for a worker" close={close}>
      <Form
        fields={['/name', '/labels']}
        verb="Make it"
        submit={submit}
        isReady={name.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at }) => (
          <>
            <TextField label="Name" about="of the worker" value={name} change={setName} fault={at['/name']} />
            <TextField
              label="Labels"
              about="what nodes ask for: gpu, lab; with spaces between them"
              value={labels}
              change={setLabels}
              fault={at['/labels']}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** Where a worker attaches, as seen from here. */
function attachAddress(): string {
  const address = new URL(`${base}/workers/attach`, location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  return address.href
}

const Made = ({ made: { name, token }, close }: { made: WorkerTokenMinted; close: () => void }) => (
  <Dialog title={`The token of ${name}`} close={close} isWide>
    <p>It is shown this once. On the other machine, with Node 22.19 or newer:</p>
    <Copied
      text={`SERVICE_WORKER_TOKEN=${token} npx -p @flow-service/worker-agent service-worker --url ${attachAddress()}`}
      label="the command"
    />
    <p>Or the token alone:</p>
    <Copied text={token} label="the token" />
    <div class="go">
      <button class="primary" onClick={close}>
        I have it
      </button>
    </div>
  </Dialog>
)
