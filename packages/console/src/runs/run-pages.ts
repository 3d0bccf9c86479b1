/**
 * The runs that a list shows, read where somebody looks: the engine filters, sorts and counts, and rows far from the screen
 * are forgotten. A run that is on the list changes there at once; one that is new waits to be shown, so that nothing moves
 * under the hand of who reads.
 */
import type { RunSummary } from '@flow-service/client-sdk'
import { type ReadonlySignal, signal } from '@preact/signals'

import { answerOf, Problem } from '../api/call.ts'
import { follow } from '../live/events.ts'

export const PAGE = 200
/** Pages that are held beside the first; those farthest from the screen go first. */
const MOST_PAGES = 12

/** What is known of the list. */
interface RunList {
  /** By their number from 0. */
  readonly pages: ReadonlyMap<number, readonly RunSummary[]>
  /** Runs that match; null until the first answer. */
  readonly total: number | null
  /** Those of the first page as it was read last: what columns there are is told by them, wherever somebody looks. */
  readonly sample: readonly RunSummary[]
  readonly problem: Problem | null
  /** Runs that were submitted since. */
  readonly newer: number
}

export interface RunPages {
  readonly list: ReadonlySignal<RunList>
  /** These places are looked at: `to` is behind the last one. */
  readonly look: (from: number, to: number) => void
  /** Reads anew what is looked at, as after a change; the old rows stay until then. */
  readonly again: () => void
  readonly close: () => void
}

/** The run at a place of the list; undefined while it is on its way. */
export const runAt = ({ pages }: Pick<RunList, 'pages'>, place: number): RunSummary | undefined =>
  pages.get(Math.floor(place / PAGE))?.[place % PAGE]

/** The pages of `GET /runs` with this query. */
export function openRunPages(query: string): RunPages {
  const list = signal<RunList>({ pages: new Map(), total: null, sample: [], problem: null, newer: 0 })
  const isNewestFirst = !new URLSearchParams(query).has('sort')
  let seen = { from: 0, to: PAGE }
  /** Read since the beginning, or since it began anew. */
  let fresh = new Set<number>()
  let beginning: Beginning | null = null
  let newer = new Set<string>()
  let loading: Promise<void> | null = null
  let isOver = false

  /** The next page to read: the first one tells how many there are. */
  const missing = (): number | null => {
    if (!fresh.has(0)) return 0
    const last = Math.ceil((list.peek().total ?? 0) / PAGE) - 1
    const [from, to] = [Math.floor(seen.from / PAGE), Math.min(last, Math.floor((seen.to - 1) / PAGE))]
    for (let page = from; page <= to; page += 1) if (!fresh.has(page)) return page
    return null
  }
  const put = (page: number, runs: readonly RunSummary[]): void => {
    const pages = new Map(list.peek().pages).set(page, runs)
    const middle = (seen.from + seen.to) / 2 / PAGE
    const far = [...pages.keys()].toSorted((a, b) => Math.abs(b - middle) - Math.abs(a - middle))
    for (const one of far.slice(0, Math.max(0, pages.size - MOST_PAGES)).filter((other) => other !== 0)) {
      pages.delete(one)
      fresh.delete(one)
    }
    list.value = { ...list.peek(), pages, problem: null }
  }
  const work = async (): Promise<void> => {
    for (let page = missing(); page !== null && !isOver; page = missing()) {
      const mine = fresh
      // oxlint-disable-next-line no-await-in-loop -- one request at a time: what is looked at may be elsewhere by then
      const answer = await read(query, page, page === 0 || !isNewestFirst ? null : beginning)
      if (mine !== fresh) continue
      fresh.add(page)
      if (page === 0) {
        beginning = { newest: answer.runs[0]?.created_at ?? null, at: answer.at }
        list.value = { ...list.peek(), total: answer.total ?? answer.runs.length, sample: answer.runs }
      }
      put(page, answer.runs)
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
        if (list.peek().problem === null && !isOver && missing() !== null) go()
      })
  }
  const end = follow({ kinds: ['run'] }, (frames) => {
    const told = new Map(frames.flatMap((frame) => (frame.type === 'run' ? [[frame.run.id, frame.run]] : [])))
    if (told.size === 0) return
    const known = list.peek()
    const pages = new Map([...known.pages].map(([page, runs]) => [page, changed(runs, told)]))
    for (const run of told.values()) if (beginning && run.created_at >= beginning.at) newer.add(run.id)
    list.value = { ...known, pages, newer: newer.size }
  })
  go()
  return {
    list,
    look(from, to) {
      seen = { from, to }
      if (list.peek().problem === null) go()
    },
    again() {
      fresh = new Set()
      newer = new Set()
      list.value = { ...list.peek(), problem: null, newer: 0 }
      go()
    },
    close() {
      isOver = true
      end()
    },
  }
}

/** A list tells more of a run than an event does. Those that are on the list are taken out of `told`. */
export function changed(runs: readonly RunSummary[], told: Map<string, object>): readonly RunSummary[] {
  if (!runs.some(({ id }) => told.has(id))) return runs
  return runs.map((run) => {
    const now = told.get(run.id)
    if (now === undefined) return run
    told.delete(run.id)
    const { params, params_cut, results, metrics, progress } = run
    return { ...run, ...now, params, params_cut, results, metrics, progress }
  })
}

/** When the first page was read, by the engine's clock, and the run on top of it then. */
interface Beginning {
  readonly newest: string | null
  readonly at: string
}

interface Page {
  readonly runs: readonly RunSummary[]
  readonly total: number | null
  readonly at: string
}

/** Behind a beginning places are counted from its newest run, so that those that were submitted since move none. */
async function read(query: string, page: number, beginning: Beginning | null): Promise<Page> {
  const asked = new URLSearchParams(query)
  asked.set('limit', String(PAGE))
  asked.set('include', page === 0 ? 'params,metrics,total' : 'params,metrics')
  const newest = beginning?.newest ?? null
  if (newest !== null) asked.set('before', newest)
  if (page > 0) asked.set('offset', String(page * PAGE - (newest === null ? 0 : 1)))
  const answer = await answerOf('GET', `/runs?${asked}`)
  const total = answer.headers.get('x-total-count')
  return {
    runs: (await answer.json()) as RunSummary[],
    total: total === null ? null : Number(total),
    at: new Date(answer.headers.get('date') ?? 0).toISOString(),
  }
}
