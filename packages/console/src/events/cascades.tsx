/** Cascades: all that one event has set off in live flows, and runs. */
import type { Cascade } from '@flow-service/client-sdk'

import { duration, number } from '../format.ts'
import { Status } from '../parts/status.tsx'
import { Where } from './engine-events.tsx'
import { narrowed, Narrow } from './narrow.tsx'
import { Older, useOlder } from './older.tsx'
import { When } from './when.tsx'

const statuses = ['running', 'ok', 'error', 'abandoned'] as const

export function Cascades() {
  const path = narrowed('/observability/runs', ['flow', 'status'])
  const cascades = useOlder<Cascade>(path, ({ started_at: ts }) => ts)
  return (
    <>
      <Narrow of={cascades} words={[['status', 'Status', statuses]]} texts={[['flow', 'Flow']]} />
      <Older
        of={cascades}
        name="Cascades"
        keyOf={({ id }) => id}
        none={
          path.includes('?')
            ? ['Nothing fits', 'Loosen the fields above.']
            : ['No cascades yet', 'Whatever a webhook, a timer or somebody sets off in a live flow is listed here.']
        }
        columns={[
          { title: 'Began', show: ({ started_at: ts }) => <When ts={ts} /> },
          { title: 'Status', show: ({ status }) => <Status is={status} isWord /> },
          { title: 'Flow', show: ({ flow }) => <Where flow={flow} node={null} /> },
          {
            title: 'Set off by',
            is: 'wrap',
            show: ({ origin: { kind, node, message }, run }) => (
              <>
                {[kind, node ?? message ?? ''].filter(Boolean).join(' ')}{' '}
                {run === null ? null : <a href={`#/runs/${run}`}>its run</a>}
              </>
            ),
          },
          { title: 'Executions', is: 'num', show: ({ executions }) => number(executions) },
          { title: 'Took', is: 'num', show: ({ duration_ms: ms }) => duration(ms === null ? null : ms / 1000) },
          {
            title: 'First failure',
            is: 'wrap',
            show: ({ error }) =>
              error === null ? '' : `${error.node === null ? '' : `${error.node}: `}${error.type}: ${error.message}`,
          },
        ]}
      />
    </>
  )
}
