/** Named views of the list: chosen, kept, shared and deleted. */
import type { User } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { useResource } from '../api/resource.ts'
import { Copied } from '../parts/copied.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/form.tsx'
import { Menu } from '../parts/menu.tsx'
import { say } from '../parts/toast.tsx'
import { go, query } from '../router.ts'
import { dropView, keepView, openViews, type View, views } from './views.ts'

export function ViewMenu() {
  const user = useResource<User>('/users/me').value.data?.id
  useEffect(() => {
    if (user !== undefined) openViews(user)
  }, [user])
  const [dialog, setDialog] = useState<'keep' | View | null>(null)
  const here = query.value.toString()
  const chosen = views.value.find((view) => view.query === here)
  if (user === undefined) return null
  return (
    <>
      <Menu title={chosen ? `View: ${chosen.name}` : 'Views'}>
        {views.value.length === 0 ? (
          <p class="hint">A view is a name for the filter, the columns and the order that are shown.</p>
        ) : (
          <ul class="views" aria-label="Views">
            {views.value.map((view) => (
              <Line key={view.name} view={view} isChosen={view === chosen} user={user} share={() => setDialog(view)} />
            ))}
          </ul>
        )}
        <button onClick={() => setDialog('keep')}>Keep this view</button>
      </Menu>
      {dialog === 'keep' ? <Keep user={user} close={() => setDialog(null)} /> : null}
      {dialog !== null && dialog !== 'keep' ? (
        <Dialog title={`The view ${dialog.name}`} close={() => setDialog(null)}>
          <p>Whoever opens this address and signs in sees the same.</p>
          <Copied text={new URL(`#/runs?${dialog.query}`, location.href).href} label="the address" />
          <div class="go">
            <button onClick={() => setDialog(null)}>Close</button>
          </div>
        </Dialog>
      ) : null}
    </>
  )
}

interface LineProps {
  readonly view: View
  readonly isChosen: boolean
  readonly user: string
  readonly share: () => void
}

const Line = ({ view, isChosen, user, share }: LineProps) => (
  <li>
    <a href={`#/runs?${view.query}`} aria-current={isChosen ? 'true' : undefined}>
      {view.name}
    </a>
    <button class="bare" onClick={share} aria-label={`Share the view ${view.name}`}>
      Share
    </button>
    <button
      class="bare"
      aria-label={`Delete the view ${view.name}`}
      onClick={() => {
        dropView(user, view.name)
        say(`The view ${view.name} is deleted.`, { title: 'Undo', act: () => keepView(user, view) })
      }}
    >
      Delete
    </button>
  </li>
)

function Keep({ user, close }: { user: string; close: () => void }) {
  const [name, setName] = useState('')
  const given = name.trim()
  const isKnown = views.value.some((view) => view.name === given)
  const keep = async (): Promise<void> => {
    const view = { name: given, query: query.peek().toString() }
    keepView(user, view)
    close()
    go(`/runs?${view.query}`)
    say(`The view ${given} is kept in this browser.`)
  }
  return (
    <Dialog title="Keep this view" close={close}>
      <Form
        fields={[]}
        verb={isKnown ? 'Replace' : 'Keep'}
        isReady={given !== ''}
        submit={keep}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {() => (
          <TextField
            label="Name"
            about="filter, states, columns and order as they are now"
            value={name}
            change={setName}
            isRequired
          />
        )}
      </Form>
    </Dialog>
  )
}
