/** Who may sign in. */
import type { SignInMethods, User, UserAdmin, UserCreated } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { call, post } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { ago } from '../format.ts'
import { now } from '../live/clock.ts'
import { Copied } from '../parts/copied.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { say, sayFault } from '../parts/toast.tsx'

const PATH = '/users'
const at = ({ id }: UserAdmin): string => `${PATH}/${encodeURIComponent(id)}`

type Asked =
  | { readonly what: 'invite' }
  | { readonly what: 'delete' | 'disable'; readonly user: UserAdmin }
  | { readonly what: 'invited'; readonly made: UserCreated }
  | null

/** Changes a user, and says that it is done. */
async function change(user: UserAdmin, to: object, done: string): Promise<void> {
  await call('PATCH', at(user), to)
  say(`${user.email}: ${done}`)
  await load(PATH)
}

export function Users({ user: me }: { user: User }) {
  const [asked, ask] = useState<Asked>(null)
  const { data: methods } = useResource<SignInMethods>('/login/methods').value
  const canMail = methods?.recovery ?? false
  return (
    <>
      <List<UserAdmin>
        path={PATH}
        name="Users"
        keyOf={({ id }) => id}
        none={['No users', 'Nobody may sign in.']}
        columns={[
          { title: 'E-mail', show: ({ email }) => email },
          { title: 'Name', is: 'wrap', show: ({ full_name: name }) => name ?? '' },
          {
            title: 'May',
            show: ({ is_active: isActive, is_superuser: isSuper }) =>
              isActive ? (isSuper ? 'everything' : 'use it') : 'not sign in',
          },
          { title: 'Signs in by', show: ({ sign_in: ways }) => (ways.length === 0 ? 'invited' : ways.join(', ')) },
          {
            title: 'Last seen',
            show: ({ last_sign_in_at: ts }) => (ts === null ? 'never' : <span title={ts}>{ago(ts, now.value)}</span>),
          },
          {
            title: '',
            show: (user) =>
              user.id === me.id ? <small>you</small> : <Actions of={user} ask={ask} canMail={canMail} />,
          },
        ]}
      >
        <button class="primary" onClick={() => ask({ what: 'invite' })}>
          Invite somebody
        </button>
      </List>
      {asked ? <Asking asked={asked} ask={ask} /> : null}
    </>
  )
}

interface ActionsProps {
  readonly of: UserAdmin
  readonly ask: (asked: Asked) => void
  /** Whether the engine sends mails. */
  readonly canMail: boolean
}

function Actions({ of: user, ask, canMail }: ActionsProps) {
  const flip = (): Promise<void> =>
    change(
      user,
      { is_superuser: !user.is_superuser },
      user.is_superuser ? 'is no superuser any more' : 'is a superuser',
    )
  const mail = async (): Promise<void> => {
    await post(`/password-recovery/${encodeURIComponent(user.email)}`)
    say(`${user.email}: a mail with a link for a new password is on its way`)
  }
  return (
    <span class="row-actions">
      {canMail && user.is_active ? (
        <button title="Mails a link for a new password" onClick={() => void mail().catch(sayFault)}>
          Mail a link
        </button>
      ) : null}
      <button onClick={() => void flip().catch(sayFault)}>
        {user.is_superuser ? 'Make an ordinary user' : 'Make a superuser'}
      </button>
      {user.is_active ? (
        <button onClick={() => ask({ what: 'disable', user })}>Disable</button>
      ) : (
        <button onClick={() => void change(user, { is_active: true }, 'may sign in').catch(sayFault)}>Enable</button>
      )}
      <button onClick={() => ask({ what: 'delete', user })}>Delete</button>
    </span>
  )
}

function Asking({ asked, ask }: { asked: NonNullable<Asked>; ask: (asked: Asked) => void }) {
  const close = (): void => ask(null)
  if (asked.what === 'invite') return <Invite close={close} done={(made) => ask({ what: 'invited', made })} />
  if (asked.what === 'invited') return <Invited made={asked.made} close={close} />
  const { user } = asked
  if (asked.what === 'disable') {
    return (
      <Confirm
        title={`Disable ${user.email}?`}
        verb="Disable"
        close={close}
        act={() => change(user, { is_active: false }, 'may not sign in any more')}
      >
        <p>Their sessions and keys end at once. They can be let in again.</p>
      </Confirm>
    )
  }
  return (
    <Confirm
      title={`Delete ${user.email}?`}
      verb="Delete"
      close={close}
      act={async () => {
        await call('DELETE', at(user))
        say(`${user.email} is deleted`)
        await load(PATH)
      }}
    >
      <p>Their sessions end. Flows, runs and the audit trail keep their name.</p>
    </Confirm>
  )
}

interface InviteProps {
  readonly close: () => void
  readonly done: (made: UserCreated) => void
}

function Invite({ close, done }: InviteProps) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [isSuper, setSuper] = useState(false)
  const submit = async (): Promise<void> => {
    const made = await post<UserCreated>(PATH, {
      email: email.trim(),
      full_name: name.trim() === '' ? null : name.trim(),
      is_superuser: isSuper,
    })
    await load(PATH)
    done(made)
  }
  return (
    <Dialog title="Invite somebody" close={close}>
      <Form
        fields={['/email', '/full_name']}
        verb="Invite"
        submit={submit}
        isReady={email.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at: faults }) => (
          <>
            <TextField label="E-mail" value={email} change={setEmail} fault={faults['/email']} />
            <TextField label="Name" about="for people" value={name} change={setName} fault={faults['/full_name']} />
            <label class="choice">
              <input
                type="checkbox"
                checked={isSuper}
                onChange={({ currentTarget }) => setSuper(currentTarget.checked)}
              />{' '}
              Superuser: may do everything, and manage others
            </label>
          </>
        )}
      </Form>
    </Dialog>
  )
}

const Invited = ({ made: { email, invite_url: url }, close }: { made: UserCreated; close: () => void }) => (
  <Dialog title={`${email} is invited`} close={close}>
    {url === null ? (
      <p>A mail with a link is on its way; the link is good for 24 hours.</p>
    ) : (
      <>
        <p>Send them this link. It is good for 24 hours and one use, and is shown this once.</p>
        <Copied text={url} label="the link" />
      </>
    )}
    <div class="go">
      <button class="primary" onClick={close}>
        Done
      </button>
    </div>
  </Dialog>
)
