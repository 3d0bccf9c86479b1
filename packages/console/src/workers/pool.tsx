/** The workers that are attached now, what each executes, and what all of them have left. */
import type { User, Worker, WorkerAmounts, WorkerResources } from '@flow-service/client-sdk'
import { useEffect } from 'preact/hooks'

import { load, useResource } from '../api/resource.ts'
import { ago, bytes, counted, number } from '../format.ts'
import { now } from '../live/clock.ts'
import { follow } from '../live/events.ts'
import { paced } from '../live/paced.ts'
import { Sheet } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'

const [PATH, RESOURCES] = ['/workers', '/workers/resources']
/** Asked for again at most so often while nodes execute. */
const AGAIN_MS = 1000

export function Pool({ user }: { user: User }) {
  const { data: workers, problem } = useResource<Worker[]>(PATH).value
  const { data: resources } = useResource<WorkerResources>(RESOURCES).value
  useEffect(followPool, [])
  if (workers === undefined) return problem ? <Refused problem={problem} again={askAgain} /> : <Loading />
  return (
    <>
      <div class="tools">
        {resources === undefined || workers.length === 0 ? null : (
          <dl class="facts amounts">
            <Share name="Processors" of={resources} read={({ cpus }) => cpus} text={number} />
            <Share name="GPUs" of={resources} read={({ gpus }) => gpus} text={number} />
            <Share name="Memory" of={resources} read={({ ram_mb: mb }) => mb} text={(mb) => bytes(mb * 1e6)} />
          </dl>
        )}
        <span class="grow" />
        <button onClick={askAgain}>Refresh</button>
      </div>
      {workers.length === 0 ? (
        <Empty title="No worker is attached">
          The engine executes nodes itself.{' '}
          {user.is_superuser ? (
            <>
              To use another machine, <a href="#/workers?tab=tokens">make a token</a> and start{' '}
              <code>service worker</code> there.
            </>
          ) : (
            'A superuser makes a token for another machine.'
          )}
        </Empty>
      ) : (
        <Rows workers={workers} />
      )}
    </>
  )
}

const askAgain = (): void => {
  void load(PATH)
  void load(RESOURCES)
}

/** Asks again when nodes begin and end: their calls are what changes. */
function followPool(): () => void {
  const again = paced(AGAIN_MS, askAgain)
  const end = follow({ kinds: ['node', 'run'] }, (frames) => {
    if (frames.some(({ type }) => type !== 'snapshot')) again.ask()
  })
  return () => {
    again.end()
    end()
  }
}

interface ShareProps {
  readonly name: string
  readonly of: WorkerResources
  readonly read: (amounts: WorkerAmounts) => number
  readonly text: (amount: number) => string
}

const Share = ({ name, of: { used, total }, read, text }: ShareProps) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {text(read(used))} of {text(read(total))}{' '}
      <meter value={read(used)} max={Math.max(1, read(total))} aria-label={`${name} in use`} />
    </dd>
  </div>
)

const Rows = ({ workers }: { workers: readonly Worker[] }) => (
  <Sheet
    name="Workers"
    rows={workers}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Worker', show: ({ name }) => name },
      {
        title: 'State',
        show: ({ status, calls, parallel }) =>
          status === 'needs_upgrade' ? (
            <>
              <Status is="degraded" /> needs an upgrade
            </>
          ) : (
            <>
              <Status is={calls.length > 0 ? 'running' : 'ready'} /> {calls.length} of {parallel} busy
            </>
          ),
      },
      { title: 'Labels', is: 'wrap', show: ({ labels }) => labels.join(', ') },
      { title: 'Executes', is: 'wrap', show: ({ calls }) => <Calls of={calls} /> },
      { title: 'Free', show: ({ free, resources }) => amountsOf(free, resources) },
      {
        title: 'Runs on',
        is: 'wrap',
        show: ({ platform, python, version, provisioned_by: by }) => (
          <>
            {platform} {python === null ? 'without Python' : `Python ${python}`}{' '}
            <small>
              v{version}
              {by === null ? '' : `, job ${by.job} of ${by.provisioner}/${by.profile}`}
            </small>
          </>
        ),
      },
      {
        title: 'Attached',
        show: ({ attached_at: since, last_contact_at: last }) => (
          <span title={`since ${since}, last heard of at ${last}`}>{ago(since, now.value)}</span>
        ),
      },
    ]}
  />
)

function Calls({ of }: { of: Worker['calls'] }) {
  if (of.length === 0) return <span class="hint">nothing</span>
  return (
    <>
      {of.map(({ call, flow, node, run, status, started_at: since }, index) => (
        <span key={call} title={`${status}, since ${since}`}>
          {index === 0 ? '' : ', '}
          <a
            href={
              run === null ? `#/flows/${encodeURIComponent(flow)}?${new URLSearchParams({ node })}` : `#/runs/${run}`
            }
          >
            {flow}.{node}
          </a>
          {status === 'running' ? '' : ` (${status})`}
        </span>
      ))}
    </>
  )
}

const amountsOf = (free: WorkerAmounts, of: WorkerAmounts): string =>
  [
    `${number(free.cpus)} of ${counted(of.cpus, 'CPU')}`,
    ...(of.gpus > 0 ? [`${number(free.gpus)} of ${counted(of.gpus, 'GPU')}`] : []),
    bytes(free.ram_mb * 1e6),
  ].join(', ')
