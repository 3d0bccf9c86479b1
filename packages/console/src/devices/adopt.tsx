/** Adopts a waiting device: as a new one, or in place of the board of one that is known. */
import type { Device, DeviceDetail } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { post, Problem } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ChoiceField, Form, TextField } from '../parts/form.tsx'
import { say } from '../parts/toast.tsx'
import { go } from '../router.ts'
import { DEVICES } from './presence.tsx'

/** A device that waits, and how it is named to the engine. */
export interface Adoptable {
  readonly check: string
  readonly name: string | null
  readonly board: string | null
  readonly firmware: string | null
  readonly by: { readonly request: string } | { readonly code: string }
}

interface AdoptProps {
  readonly device: Adoptable
  readonly known: readonly Device[]
  readonly close: () => void
}

export function Adopt({ device, known, close }: AdoptProps) {
  const [as, setAs] = useState('')
  const [id, setId] = useState(() => idOf(device.name ?? device.board ?? 'device', known))
  const [name, setName] = useState(device.name ?? '')
  // made here, and not adopted yet because the engine had something against that
  const [made, setMade] = useState<string | null>(null)
  const submit = async (): Promise<void> => {
    const chosen = as === '' ? id.trim() : as
    const at = `${DEVICES}${encodeURIComponent(chosen)}`
    if (as === '' && chosen !== made) {
      await create(at, name.trim())
      setMade(chosen)
    }
    try {
      await post<DeviceDetail>(`${at}/pair`, device.by)
    } finally {
      await load(DEVICES)
      await load('/devices/pending')
    }
    say(`${chosen} is adopted`)
    close()
    go(`/devices/${encodeURIComponent(chosen)}`)
  }
  return (
    <Dialog title={`Adopt ${device.name ?? 'the device'}`} close={close}>
      <div class="compare-check">
        <output class="check" aria-label="Characters to compare">
          {device.check}
        </output>
        <p>
          The device has to show the same two characters.{' '}
          <small>{[device.board, device.firmware].filter(Boolean).join(' · ')}</small>
        </p>
      </div>
      <Form
        fields={['/id', 'path.id', '/name', '/code', '/request']}
        verb="They are the same: adopt it"
        submit={submit}
        isReady={as !== '' || id.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            They differ
          </button>
        }
      >
        {({ at }) => (
          <>
            {known.length === 0 ? null : (
              <ChoiceField
                label="As"
                value={as}
                change={setAs}
                options={[
                  ['', 'a new device'],
                  ...known.map((one) => [one.id, `the new board of ${one.name}`] as const),
                ]}
              />
            )}
            {as === '' ? (
              <>
                <TextField
                  label="Id"
                  about="by which flows name it; letters, digits and _"
                  value={id}
                  change={setId}
                  fault={at['path.id'] ?? at['/id']}
                />
                <TextField label="Name" about="for people" value={name} change={setName} fault={at['/name']} />
              </>
            ) : (
              <p class="hint">Its bindings stay; what was paired with it before counts no more.</p>
            )}
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** An id that somebody has already is never taken over: its board would be refused from then on. */
async function create(at: string, name: string): Promise<void> {
  try {
    await post<DeviceDetail>(at, name === '' ? {} : { name })
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'already_exists')) throw error
    throw new Problem(error.status, error.code, error.message, { errors: [{ path: '/id', message: error.message }] })
  }
}

/** A free id that looks like the name. */
function idOf(name: string, known: readonly Device[]): string {
  const plain =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '') || 'device'
  const isTaken = (id: string): boolean => known.some((one) => one.id === id)
  let id = plain
  for (let count = 2; isTaken(id); count += 1) id = `${plain}_${count}`
  return id
}
