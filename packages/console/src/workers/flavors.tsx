/** Sizes with a name, which flows ask for: so many processors, GPUs and memory. */
import type { Flavor, User } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { call, post } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { bytes, number } from '../format.ts'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { say } from '../parts/toast.tsx'

const PATH = '/flavors/'
const at = (name: string): string => `${PATH}${encodeURIComponent(name)}`

type Asked = { readonly what: 'new' } | { readonly what: 'edit' | 'delete'; readonly flavor: Flavor } | null

export function Flavors({ user }: { user: User }) {
  const [asked, ask] = useState<Asked>(null)
  const close = (): void => ask(null)
  const may = user.is_superuser
  return (
    <>
      <List<Flavor>
        path={PATH}
        name="Sizes"
        keyOf={({ name }) => name}
        none={[
          'No sizes yet',
          <>
            A flow asks for one by <code>resources.flavor</code>; its calls wait until a worker has so much free.
          </>,
        ]}
        columns={[
          { title: 'Name', show: ({ name }) => name },
          { title: 'Processors', is: 'num', show: ({ cpus }) => number(cpus) },
          { title: 'GPUs', is: 'num', show: ({ gpus }) => number(gpus) },
          { title: 'Memory', is: 'num', show: ({ ram_mb: mb }) => bytes(mb * 1e6) },
          { title: 'For', is: 'wrap', show: ({ description }) => description },
          {
            title: '',
            show: (flavor) =>
              may ? (
                <span class="row-actions">
                  <button onClick={() => ask({ what: 'edit', flavor })}>Change</button>
                  <button onClick={() => ask({ what: 'delete', flavor })}>Delete</button>
                </span>
              ) : null,
          },
        ]}
      >
        <button
          class="primary"
          disabled={!may}
          title={may ? undefined : 'Superusers make sizes'}
          onClick={() => ask({ what: 'new' })}
        >
          New size
        </button>
      </List>
      {asked?.what === 'delete' ? (
        <Confirm
          title={`Delete the size ${asked.flavor.name}?`}
          verb="Delete"
          close={close}
          act={async () => {
            await call('DELETE', at(asked.flavor.name))
            say(`${asked.flavor.name} is deleted`)
            await load(PATH)
          }}
        >
          <p>One that a flow asks for stays.</p>
        </Confirm>
      ) : asked ? (
        <Size flavor={asked.what === 'edit' ? asked.flavor : null} close={close} />
      ) : null}
    </>
  )
}

function Size({ flavor, close }: { flavor: Flavor | null; close: () => void }) {
  const [name, setName] = useState(flavor?.name ?? '')
  const [amounts, setAmounts] = useState({
    cpus: String(flavor?.cpus ?? 1),
    gpus: String(flavor?.gpus ?? 0),
    ram_mb: String(flavor?.ram_mb ?? 1024),
  })
  const [description, setDescription] = useState(flavor?.description ?? '')
  const submit = async (): Promise<void> => {
    const numbers = Object.fromEntries(Object.entries(amounts).map(([key, text]) => [key, Number(text)]))
    if (flavor === null) await post<Flavor>(PATH, { name: name.trim(), description, ...numbers })
    else await call<Flavor>('PATCH', at(flavor.name), { description, ...numbers })
    say(`${flavor?.name ?? name.trim()} is ${flavor === null ? 'made' : 'changed'}`)
    close()
    await load(PATH)
  }
  const fields = [
    ['cpus', 'Processors'],
    ['gpus', 'GPUs'],
    ['ram_mb', 'Memory, in MB'],
  ] as const
  return (
    <Dialog title={flavor === null ? 'New size' : `Change ${flavor.name}`} close={close}>
      <Form
        fields={['/name', '/cpus', '/gpus', '/ram_mb', '/description']}
        verb={flavor === null ? 'Make it' : 'Change it'}
        submit={submit}
        isReady={name.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at: faults }) => (
          <>
            {flavor === null ? <TextField label="Name" value={name} change={setName} fault={faults['/name']} /> : null}
            {fields.map(([key, label]) => (
              <TextField
                key={key}
                label={label}
                value={amounts[key]}
                change={(text) => setAmounts({ ...amounts, [key]: text })}
                fault={faults[`/${key}`]}
              />
            ))}
            <TextField
              label="For"
              about="people"
              value={description}
              change={setDescription}
              fault={faults['/description']}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}
