/** What is done with the runs that somebody has chosen in a list; each refusal is told, and the others are done. */
import type { RunSummary } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { answerOf, call, post } from '../api/call.ts'
import { counted, number, shortId } from '../format.ts'
import { Confirm } from '../parts/dialog.tsx'
import { save } from '../parts/download.ts'
import { say, sayFault } from '../parts/toast.tsx'

/** Requests at once. */
const LANES = 4
/** The page of comparison and a person can hold so many. */
export const MOST_COMPARED = 100
/** An address has room for so many ids. */
const MOST_EXPORTED = 300
/** Refusals that are told one by one. */
const MOST_TOLD = 3

interface ChosenProps {
  readonly chosen: ReadonlySet<string>
  /** Some of it is done: the list is not what it was. */
  readonly done: () => void
  readonly isArchived: boolean
}

export function Chosen({ chosen, done, isArchived }: ChosenProps) {
  const [isDeleting, setDeleting] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const ids = [...chosen]
  const each = (what: string, work: (id: string) => Promise<unknown>) => async (): Promise<void> => {
    setBusy(true)
    await forEach(ids, what, work)
    setBusy(false)
    done()
  }
  const archive = async (): Promise<void> => {
    setBusy(true)
    try {
      await call('PATCH', '/runs', { ids, archived: !isArchived })
      say(`${counted(ids.length, 'run')} ${isArchived ? 'taken back from the archive' : 'archived'}.`)
      done()
    } catch (problem) {
      sayFault(problem)
    } finally {
      setBusy(false)
    }
  }
  const canCompare = ids.length > 1 && ids.length <= MOST_COMPARED
  return (
    <div class="chosen" role="group" aria-label="Chosen runs">
      <small>{number(chosen.size)} chosen</small>
      {canCompare ? (
        <a class="button primary" href={`#/compare?${new URLSearchParams({ ids: ids.join() })}`}>
          Compare
        </a>
      ) : (
        <button disabled title={`Choose 2 to ${MOST_COMPARED} runs to compare them`}>
          Compare
        </button>
      )}
      <button
        disabled={ids.length > MOST_EXPORTED}
        title={ids.length > MOST_EXPORTED ? `At most ${MOST_EXPORTED} runs at once` : 'Save them as a table'}
        onClick={() => void exported(ids).catch(sayFault)}
      >
        CSV
      </button>
      <button
        disabled={isBusy}
        onClick={() => void each('submitted again', (id) => post<RunSummary>(`/runs/${id}/retry`))()}
      >
        Run again
      </button>
      <button
        disabled={isBusy}
        onClick={() => void each('cancelled', (id) => post<RunSummary>(`/runs/${id}/cancel`))()}
      >
        Cancel
      </button>
      <button disabled={isBusy} onClick={() => void archive()}>
        {isArchived ? 'Take back' : 'Archive'}
      </button>
      <button class="danger" disabled={isBusy} onClick={() => setDeleting(true)}>
        Delete
      </button>
      {isDeleting ? (
        <Confirm
          title={`Delete ${counted(ids.length, 'run')}?`}
          verb="Delete"
          act={each('deleted', (id) => call('DELETE', `/runs/${id}`))}
          close={() => setDeleting(false)}
        >
          <p>Their records, curves and logs go with them. To keep them out of the way, archive them.</p>
        </Confirm>
      ) : null}
    </div>
  )
}

/** With a column for each parameter and result. */
async function exported(ids: readonly string[]): Promise<void> {
  const query = new URLSearchParams({ format: 'csv', ids: ids.join() })
  save('runs.csv', await (await answerOf('GET', `/runs/export/runs?${query}`)).blob())
}

/** Does it a few at a time; says how many it was done for, and of the others why not. */
async function forEach(ids: readonly string[], what: string, work: (id: string) => Promise<unknown>): Promise<void> {
  const waiting = [...ids]
  const refused: string[] = []
  const lane = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const run = shortId(id)
      // oxlint-disable-next-line no-await-in-loop -- a lane does one after the other
      await work(id).catch((problem: Error) => refused.push(`${run}: ${problem.message}`))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const count = ids.length - refused.length
  if (count > 0) say(`${counted(count, 'run')} ${what}.`)
  if (refused.length === 0) return
  const more = refused.length - MOST_TOLD
  const told = refused.slice(0, MOST_TOLD).join(' ')
  sayFault(
    new Error(`${counted(refused.length, 'run')} not ${what}. ${told}${more > 0 ? ` And ${number(more)} more.` : ''}`),
  )
}
