/** Work that ended without being done: looked at, delivered again, or dismissed. */
import type { DeadLetter, Replayed, ReplayResult } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { counted, oneLine } from '../format.ts'
import { Confirm } from '../parts/dialog.tsx'
import { JsonView } from '../parts/json-view.tsx'
import type { SheetColumn } from '../parts/sheet.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import { query } from '../router.ts'
import { Where } from './engine-events.tsx'
import { narrowed, Narrow } from './narrow.tsx'
import { Older, useOlder } from './older.tsx'
import { When } from './when.tsx'

const PATH = '/observability/dead-letter'
/** Why work was not done, with what each means. */
const reasons = {
  crash: 'the engine stopped while it was executed',
  overflow: 'too much waited for the node',
  expired: 'it waited for too long',
  loop_limit: 'its cascade went round and round',
  lease: 'another engine had taken over the flow',
  stopped: 'the flow was stopped while it was executed',
} as const

export function DeadLetters() {
  const path = narrowed(PATH, ['flow', 'node', 'reason'])
  const letters = useOlder<DeadLetter>(path, ({ ts }) => ts)
  const [dismissed, dismiss] = useState<DeadLetter | null>(null)
  const count = letters.rows?.length ?? 0
  const replay = async ({ id }: DeadLetter): Promise<void> => {
    await post<ReplayResult>(`${PATH}/${encodeURIComponent(id)}/replay`)
    say('It is delivered; if it fails again, it comes back')
    await letters.again()
  }
  const replayAll = async (): Promise<void> => {
    const shown = query.value
    const which = Object.fromEntries(
      ['flow', 'node', 'reason'].flatMap((name) => (shown.get(name) ? [[name, shown.get(name)]] : [])),
    )
    const { replayed } = await post<Replayed>(`${PATH}/replay`, which)
    say(
      replayed === 0
        ? 'None could be delivered: start their flows first'
        : `Delivered again: ${counted(replayed, 'letter')}`,
    )
    await letters.again()
  }
  return (
    <>
      <Narrow
        of={letters}
        words={[['reason', 'Reason', Object.keys(reasons)]]}
        texts={[
          ['flow', 'Flow'],
          ['node', 'Node'],
        ]}
      >
        {count > 0 ? <button onClick={() => void replayAll().catch(sayFault)}>Replay all that fit</button> : null}
      </Narrow>
      <Older
        of={letters}
        name="Dead letters"
        keyOf={({ id }) => id}
        none={
          path.includes('?')
            ? ['Nothing fits', 'Loosen the fields above.']
            : [
                'No dead letters',
                'Work that ends without being done is kept here for 30 days, or until it is replayed.',
              ]
        }
        columns={columnsOf((letter) => void replay(letter).catch(sayFault), dismiss)}
      />
      {dismissed ? (
        <Confirm
          title="Dismiss this dead letter?"
          verb="Dismiss"
          close={() => dismiss(null)}
          act={async () => {
            await post(`${PATH}/${encodeURIComponent(dismissed.id)}/dismiss`)
            say('It is dismissed; the audit has by whom')
            await letters.again()
          }}
        >
          <p>Its value is not delivered to anybody.</p>
        </Confirm>
      ) : null}
    </>
  )
}

const columnsOf = (
  replay: (letter: DeadLetter) => void,
  dismiss: (letter: DeadLetter) => void,
): readonly SheetColumn<DeadLetter>[] => [
  { title: 'When', show: ({ ts }) => <When ts={ts} /> },
  { title: 'Where', show: ({ flow, node }) => <Where flow={flow} node={node} /> },
  { title: 'Message', show: ({ message }) => message ?? 'none' },
  { title: 'Value', is: 'wrap', show: ({ value }) => <Value of={value} /> },
  {
    title: 'Why',
    is: 'wrap',
    show: ({ reason, attempts }) => `${reasons[reason]}; tried ${counted(attempts, 'time')}`,
  },
  {
    title: '',
    show: (letter) => (
      <span class="row-actions">
        <button onClick={() => replay(letter)}>Replay</button>
        <button onClick={() => dismiss(letter)}>Dismiss</button>
      </span>
    ),
  },
]

const Value = ({ of }: { of: DeadLetter['value'] }) =>
  of !== null && typeof of === 'object' ? <JsonView of={of} depth={0} /> : <code>{oneLine(of, 200)}</code>
