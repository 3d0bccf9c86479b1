/** Who is signed in: their name, a new password, the end of the session. */
import type { Token, User } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { Form, TextField } from '../parts/form.tsx'
import { say } from '../parts/toast.tsx'
import { signIn, signOut } from '../session.ts'
import { flipTheme, theme } from '../theme.ts'

export const Account = ({ user }: { user: User }) => (
  <div class="columns-2">
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
