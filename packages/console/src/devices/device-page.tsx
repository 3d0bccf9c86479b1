/** One device: what it has, how flows use it, what it measures and shows now. */
import type { DeviceBinding, DeviceDetail, DevicePort } from '@flow-service/client-sdk'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { call, get, post, Problem } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { ago, oneLine } from '../format.ts'
import { now } from '../live/clock.ts'
import { follow } from '../live/events.ts'
import { type LiveValues, liveValues } from '../live/values.ts'
import { ArtifactPicture, isPicture } from '../parts/artifact-picture.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/form.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { say } from '../parts/toast.tsx'
import { go } from '../router.ts'
import { DEVICES, Presence } from './presence.tsx'
import { Send } from './send.tsx'

/** Presence has no events of its own: while somebody looks, it is asked for so often. */
const EVERY_MS = 3000

type Asked = 'rename' | 'unpair' | 'delete' | null

export function DevicePage({ id }: { id: string }) {
  const path = `${DEVICES}${encodeURIComponent(id)}`
  const { data: device, problem } = useResource<DeviceDetail>(path).value
  const [asked, ask] = useState<Asked>(null)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void load(path)
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [path])
  const values = useValues(device?.bindings ?? [])
  if (device === undefined) {
    return <div class="page">{problem ? <Refused problem={problem} again={() => void load(path)} /> : <Loading />}</div>
  }
  return (
    <div class="page">
      <header class="head">
        <a class="crumb" href="#/devices">
          Devices
        </a>
        <h1 title={device.id}>{device.name}</h1>
        <span>
          <Presence of={device} />
        </span>
        <span class="grow" />
        <button onClick={() => ask('rename')}>Rename</button>
        {device.paired ? <button onClick={() => ask('unpair')}>Unpair</button> : null}
        <button onClick={() => ask('delete')}>Delete</button>
      </header>
      <dl class="facts">
        <Fact name="Id" value={device.id} />
        <Fact name="Board" value={device.board} />
        <Fact name="Firmware" value={device.firmware} />
        <Fact name="Adopted" value={ago(device.created_at, now.value)} title={device.created_at} />
      </dl>
      {device.io.length === 0 ? (
        <Empty title="It has not said what it has">
          A device tells its ports when it connects. One that is not paired cannot: adopt it from{' '}
          <a href="#/devices">the list</a>.
        </Empty>
      ) : (
        <Ports device={device} values={values} />
      )}
      {device.report === null ? null : (
        <section>
          <h2>Its report</h2>
          <JsonView of={device.report} />
        </section>
      )}
      <Asking asked={asked} device={device} close={() => ask(null)} />
    </div>
  )
}

const Fact = ({ name, value, title }: { name: string; value: string | null; title?: string }) =>
  value === null || value === '' ? null : (
    <div>
      <dt>{name}</dt>
      <dd title={title}>{value}</dd>
    </div>
  )

/** The newest values of all messages that are wired to the device. */
function useValues(bindings: readonly DeviceBinding[]): LiveValues {
  const flows = [...new Set(bindings.map(({ message }) => message.slice(0, message.indexOf('.'))))].toSorted().join()
  const values = useMemo(liveValues, [flows])
  useEffect(() => {
    if (flows === '') return
    return follow({ kinds: ['value'], flows: flows.split(',') }, values.take)
  }, [flows, values])
  return values
}

function Ports({ device: { io, bindings }, values }: { device: DeviceDetail; values: LiveValues }) {
  const of = (port: DevicePort): readonly DeviceBinding[] =>
    bindings.filter(({ port: name, direction }) => name === port.name && direction === port.direction)
  const [sent, send] = useState<DeviceBinding | null>(null)
  return (
    <section>
      <h2>Ports</h2>
      <Sheet
        name="Ports"
        rows={io}
        keyOf={({ direction, name }) => `${direction} ${name}`}
        columns={[
          {
            title: 'Port',
            is: 'wrap',
            show: ({ name, title }) => (
              <>
                {title ?? name} {title === null ? null : <small>{name}</small>}
              </>
            ),
          },
          {
            title: 'Now',
            is: 'wrap',
            show: (port) => <Value of={of(port)[0]} values={values} />,
          },
          { title: 'Is', show: ({ direction }) => (direction === 'in' ? 'measured' : 'shown or done') },
          { title: 'Type', show: ({ dtype }) => oneLine(dtype, 30) },
          {
            title: 'Wired to',
            is: 'wrap',
            show: (port) => <Wires of={of(port)} />,
          },
          {
            title: '',
            show: (port) => {
              const [to] = port.direction === 'out' ? of(port) : []
              return to === undefined ? null : (
                <span class="row-actions">
                  <button aria-label={`Send a value to ${port.name}`} onClick={() => send(to)}>
                    Send
                  </button>
                </span>
              )
            },
          },
        ]}
      />
      {sent ? <Send to={sent} close={() => send(null)} /> : null}
    </section>
  )
}

const Wires = ({ of }: { of: readonly DeviceBinding[] }) =>
  of.length === 0 ? (
    <span class="hint">no flow uses it</span>
  ) : (
    <>
      {of.map(({ flow, node, message, interval }, index) => (
        <span key={`${flow} ${node} ${message}`}>
          {index === 0 ? '' : ', '}
          <a href={`#/flows/${encodeURIComponent(flow)}?${new URLSearchParams({ node })}`}>{message}</a>
          {interval === null ? '' : ` every ${interval} s`}
        </span>
      ))}
    </>
  )

function Value({ of, values }: { of: DeviceBinding | undefined; values: LiveValues }) {
  if (of === undefined) return null
  const known = values.of(of.message).value
  if (known === null || (known.value === null && known.ts === null)) return <span class="hint">nothing yet</span>
  if (isPicture(known.value)) return <ArtifactPicture of={known.value} alt={`${of.port} now`} />
  return (
    <b class="num" title={known.ts ?? undefined}>
      {oneLine(known.value, 200)}
    </b>
  )
}

interface AskingProps {
  readonly asked: Asked
  readonly device: DeviceDetail
  readonly close: () => void
}

function Asking({ asked, device, close }: AskingProps) {
  const at = `${DEVICES}${encodeURIComponent(device.id)}`
  if (asked === null) return null
  if (asked === 'rename') return <Rename device={device} at={at} close={close} />
  if (asked === 'unpair') {
    return (
      <Confirm
        title={`Unpair ${device.name}?`}
        verb="Unpair"
        close={close}
        act={async () => {
          await post(`${at}/unpair`)
          say(`${device.name} is not paired any more`)
          await load(at)
        }}
      >
        <p>The board is refused from now on. The device and how flows use it stay, for another board.</p>
      </Confirm>
    )
  }
  return (
    <Confirm
      title={`Delete ${device.name}?`}
      verb="Delete"
      close={close}
      act={async () => {
        await call('DELETE', at)
        say(`${device.name} is deleted`)
        await load(DEVICES)
        go('/devices')
      }}
    >
      <p>
        Its board is refused from now on.
        {device.bindings.length === 0 ? '' : ' Nodes that stand for it stay, without a device.'}
      </p>
    </Confirm>
  )
}

function Rename({ device, at, close }: { device: DeviceDetail; at: string; close: () => void }) {
  const [name, setName] = useState(device.name)
  // the version that was read when it began: somebody else may save meanwhile
  const [version, setVersion] = useState(device.version)
  const submit = async (): Promise<void> => {
    try {
      await call<DeviceDetail>('PUT', at, { version, name: name.trim() })
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'version_conflict')) throw error
      // what was typed stays; saved once more, it goes over what is there now
      const theirs = await get<DeviceDetail>(at)
      setVersion(theirs.version)
      const message = `Somebody has named it “${theirs.name}” meanwhile. Save again to give it the name above.`
      throw new Problem(error.status, error.code, message, { errors: [{ path: '/name', message }] })
    }
    say('It is saved')
    close()
    await load(at)
    await load(DEVICES)
  }
  return (
    <Dialog title={`Rename ${device.name}`} close={close}>
      <Form
        fields={['/name']}
        verb="Save"
        submit={submit}
        isReady={name.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at: faults }) => (
          <TextField label="Name" about="for people" value={name} change={setName} fault={faults['/name']} />
        )}
      </Form>
    </Dialog>
  )
}
