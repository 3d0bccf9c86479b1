/** What starts workers by itself, on a cluster: its profiles, the jobs they have, and why one waits. */
import type {
  ProvisionerProfileState,
  ProvisionerState,
  ProvisionerTest,
  ProvisionerTestBegun,
  User,
  WorkerResources,
} from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { get, post } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { ago, bytes, number } from '../format.ts'
import { now } from '../live/clock.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { say, sayFault } from '../parts/toast.tsx'

const PATH = '/workers/resources'
/** A test is looked at so often while it goes on. */
const EVERY_MS = 1000

interface Tested {
  readonly provisioner: string
  readonly profile: string
}

export function Provisioners({ user }: { user: User }) {
  const { data: resources, problem } = useResource<WorkerResources>(PATH).value
  const [tested, test] = useState<Tested | null>(null)
  if (resources === undefined)
    return problem ? <Refused problem={problem} again={() => void load(PATH)} /> : <Loading />
  const reload = async (): Promise<void> => {
    await post('/workers/provisioners/reload')
    say('The file is read anew')
    await load(PATH)
  }
  return (
    <>
      <div class="tools">
        <small>
          They stand in <code>provisioners.json</code> beside the engine.
        </small>
        <span class="grow" />
        <button onClick={() => void load(PATH)}>Refresh</button>
        {user.is_superuser ? <button onClick={() => void reload().catch(sayFault)}>Read the file anew</button> : null}
      </div>
      {resources.provisioners.length === 0 ? (
        <Empty title="No provisioners">
          With one the engine starts workers on a Slurm or Ray cluster when calls wait for them, and lets them end.
        </Empty>
      ) : (
        resources.provisioners.map((one) => (
          <Provisioner
            key={one.name}
            of={one}
            test={user.is_superuser ? (profile) => test({ provisioner: one.name, profile }) : null}
          />
        ))
      )}
      {tested ? <Test of={tested} close={() => test(null)} /> : null}
    </>
  )
}

interface ProvisionerProps {
  readonly of: ProvisionerState
  /** Null where somebody may not. */
  readonly test: ((profile: string) => void) | null
}

const looks = { idle: 'pending', pending: 'queued', attached: 'ready', failed: 'failed' } as const

const Provisioner = ({ of: { name, type, error, profiles }, test }: ProvisionerProps) => (
  <section aria-label={name}>
    <h2>
      {name} <small>{type === 'ray' ? 'Ray' : 'batch scheduler'}</small>
    </h2>
    {error === null ? null : (
      <p class="fault" role="alert">
        {error}
      </p>
    )}
    <Sheet
      name={`Profiles of ${name}`}
      rows={profiles}
      keyOf={(profile) => profile.name}
      columns={[
        { title: 'Profile', show: (profile) => profile.name },
        {
          title: 'State',
          show: ({ state }) => (
            <>
              <Status is={looks[state]} /> {state}
            </>
          ),
        },
        { title: 'Job', show: ({ job, requested_at: ts }) => <Job job={job} ts={ts} /> },
        { title: 'Labels', is: 'wrap', show: ({ labels }) => labels.join(', ') },
        { title: 'Size', show: sizeOf },
        { title: 'Last fault', is: 'wrap', show: (profile) => profile.error ?? '' },
        {
          title: '',
          show: (profile) =>
            test === null ? null : (
              <span class="row-actions">
                <button onClick={() => test(profile.name)}>Test it</button>
              </span>
            ),
        },
      ]}
    />
  </section>
)

const Job = ({ job, ts }: { job: string | null; ts: string | null }) => (
  <>
    {job ?? ''} {ts === null ? null : <small title={ts}>{ago(ts, now.value)}</small>}
  </>
)

const sizeOf = ({ cpus, gpus, ram_mb: mb }: ProvisionerProfileState): string =>
  `${number(cpus)} CPU, ${gpus > 0 ? `${number(gpus)} GPU, ` : ''}${bytes(mb * 1e6)}`

/** Hands in a short job and says what came of each step. */
function Test({ of: { provisioner, profile }, close }: { of: Tested; close: () => void }) {
  const [test, setTest] = useState<ProvisionerTest>({ state: 'running', steps: [] })
  const [fault, setFault] = useState<string | null>(null)
  useEffect(() => {
    let timer = 0
    let isOver = false
    const look = async (id: string): Promise<void> => {
      const next = await get<ProvisionerTest>(`/workers/provisioners/tests/${encodeURIComponent(id)}`)
      if (isOver) return
      setTest(next)
      if (next.state === 'running') timer = window.setTimeout(() => void look(id).catch(fail), EVERY_MS)
    }
    const fail = (error: unknown): void => setFault(error instanceof Error ? error.message : String(error))
    post<ProvisionerTestBegun>(
      `/workers/provisioners/${encodeURIComponent(provisioner)}/${encodeURIComponent(profile)}/test`,
    )
      .then((begun) => look(begun.test))
      .catch(fail)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [provisioner, profile])
  return (
    <Dialog title={`Test of ${provisioner}/${profile}`} close={close}>
      <p>
        <Status is={test.state} isWord /> A job of one minute is handed in, its worker executes a call, and it is
        cancelled.
      </p>
      <ol class="steps">
        {test.steps.map(({ step, ok, detail, at }) => (
          <li key={step}>
            <Status is={ok ? 'ok' : 'failed'} /> <b>{step}</b> <span>{detail}</span>{' '}
            <small title={at}>{at.slice(11, 19)}</small>
          </li>
        ))}
      </ol>
      {fault === null ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <div class="go">
        <button onClick={close}>Close</button>
      </div>
    </Dialog>
  )
}
