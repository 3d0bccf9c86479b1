/** Who is signed in: their name, a new password, the end of the session. */
import type { Token, User } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { call, post } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { Form, TextField } from '../parts/form.tsx'
import { say } from '../parts/toast.tsx'
import { signIn, signOut } from '../session.ts'
import { flipTheme, theme } from '../theme.ts'

/** Who is signed in. */
export const ME = '/users/me'

export const Account = ({ user }: { user: User }) => (
  <div class="columns-2 account">
    <section class="card">
      <h2>{user.full_name ?? user.email}</h2>
      <dl class="facts">
        <div>
          <dt>Signs in as</dt>
          <dd>{user.email}</dd>
        </div>
        <div>
          <dt>May</dt>
          <dd>{user.is_superuser ? 'everything' : 'use it; superusers manage users, secrets and code'}</dd>
        </div>
      </dl>
      {user.is_superuser ? <OwnName key={user.full_name} user={user} /> : null}
      <div class="go">
        <button onClick={flipTheme}>Use {theme.value === 'dark' ? 'light' : 'dark'} colours</button>
        <button onClick={() => signOut()}>Sign out of this tab</button>
      </div>
    </section>
    <section class="card">
      <h2>New password</h2>
      <NewPassword />
    </section>
  </div>
)

/** Names are given by superusers, to themselves as to others. */
function OwnName({ user }: { user: User }) {
  const [name, setName] = useState(user.full_name ?? '')
  const submit = async (): Promise<void> => {
    await call('PATCH', `/users/${encodeURIComponent(user.id)}`, { full_name: name.trim() === '' ? null : name.trim() })
    say('Your name is saved')
    await load(ME)
  }
  return (
    <Form fields={['/full_name']} verb="Save the name" submit={submit} isReady={name.trim() !== (user.full_name ?? '')}>
      {({ at }) => <TextField label="Name" about="for people" value={name} change={setName} fault={at['/full_name']} />}
    </Form>
  )
}

function NewPassword() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const submit = async (): Promise<void> => {
    const sent = { current_password: current, new_password: next }
    setCurrent('')
    setNext('')
    const { access_token: token } = await post<Token>('/users/me/password', sent)
    // all sessions have ended, that of this tab goes on with a new one
    signIn({ token })
    say('Your password is new, and all other sessions have ended')
  }
  return (
    <Form
      fields={['/current_password', '/new_password']}
      verb="Change it"
      submit={submit}
      isReady={current !== '' && next !== ''}
    >
      {({ at }) => (
        <>
          <TextField
            label="The one of now"
            type="password"
            autocomplete="current-password"
            value={current}
            change={setCurrent}
            fault={at['/current_password']}
          />
          <TextField
            label="The new one"
            type="password"
            autocomplete="new-password"
            value={next}
            change={setNext}
            fault={at['/new_password']}
          />
          <p class="hint">All other sessions of yours end.</p>
        </>
      )}
    </Form>
  )
}
