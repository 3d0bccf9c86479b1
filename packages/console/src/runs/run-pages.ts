/**
 * The runs that a list shows, page by page as somebody scrolls: the engine filters and sorts. A run that is on the list
 * changes there at once; one that is new waits to be shown, so that nothing moves under the hand of who reads.
 */
import type { RunSummary } from '@flow-service/client-sdk'
import { type ReadonlySignal, signal } from '@preact/signals'

import { answerOf, Problem } from '../api/call.ts'
import { follow } from '../live/events.ts'

const PAGE = 200

/** What is known of the list. */
interface RunList {
  readonly runs: readonly RunSummary[]
  /** Runs that match; null until the first answer. */
  readonly total: number | null
  readonly problem: Problem | null
  /** Runs that were submitted since. */
  readonly newer: number
}

export interface RunPages {
  readonly list: ReadonlySignal<RunList>
  /** Loads on until so many runs are there, or all. */
  readonly reach: (count: number) => void
  /** Begins anew, as after a change. */
  readonly again: () => void
  readonly close: () => void
}

/** The pages of `GET /runs` with this query. */
export function openRunPages(query: string): RunPages {
  const empty: RunList = { runs: [], total: null, problem: null, newer: 0 }
  const list = signal<RunList>(empty)
  let next: string | null = first(query)
  let wanted = PAGE
  let loading: Promise<void> | null = null
  /** Another beginning: what is on its way is of the one before. */
  let life = 0
  const work = async (): Promise<void> => {
    const mine = life
    while (next !== null && list.peek().runs.length < wanted && mine === life) {
      // oxlint-disable-next-line no-await-in-loop -- a page says where the next one is
      const page = await read(next)
      if (mine !== life) return
      next = page.next
      const known = list.peek()
      list.value = { ...known, runs: [...known.runs, ...page.runs], total: page.total ?? known.total, problem: null }
    }
  }
  const go = (): void => {
    loading ??= work()
      .catch((error: unknown) => {
        const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
        list.value = { ...list.peek(), problem }
      })
      .finally(() => {
        loading = null
        if (list.peek().problem === null && next !== null && list.peek().runs.length < wanted) go()
      })
  }
  const end = follow({ kinds: ['run'] }, (frames) => {
    const told = new Map(frames.flatMap((frame) => (frame.type === 'run' ? [[frame.run.id, frame.run]] : [])))
    if (told.size === 0) return
    const known = list.peek()
    const runs = known.runs.map((run) => changed(run, told))
    list.value = { ...known, runs, newer: known.newer + told.size }
  })
  go()
  return {
    list,
    reach(count) {
      wanted = Math.max(wanted, count)
      if (list.peek().problem === null) go()
    },
    again() {
      life += 1
      next = first(query)
      list.value = { ...empty, total: list.peek().total }
      go()
    },
    close: end,
  }
}

/** A list tells more of a run than an event does. Those that are on the list are taken out of `told`. */
function changed(run: RunSummary, told: Map<string, object>): RunSummary {
  const now = told.get(run.id)
  if (now === undefined) return run
  told.delete(run.id)
  const { params, params_cut, results, metrics, progress } = run
  return { ...run, ...now, params, params_cut, results, metrics, progress }
}

const first = (query: string): string => `/runs?${query}&limit=${PAGE}&include=params,metrics,total`

interface Page {
  readonly runs: readonly RunSummary[]
  readonly total: number | null
  readonly next: string | null
}

async function read(path: string): Promise<Page> {
  const answer = await answerOf('GET', path)
  const total = answer.headers.get('x-total-count')
  // the address in the header is that of clients outside; its query is what counts
  const link = /<[^>]*\/runs\?([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')
  return {
    runs: (await answer.json()) as RunSummary[],
    total: total === null ? null : Number(total),
    next: link ? `/runs?${link[1]}` : null,
  }
}
