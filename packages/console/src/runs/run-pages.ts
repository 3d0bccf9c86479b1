/**
 * The runs that a list shows, read where somebody looks: the engine filters, sorts and counts, and rows far from the screen
 * are forgotten. A run that is on the list changes there at once; one that is new waits to be shown, so that nothing moves
 * under the hand of who reads.
 */
import type { RunSummary } from '@flow-service/client-sdk'
import type { EventFrame } from '@flow-service/protocol'
import { type ReadonlySignal, signal } from '@preact/signals'

import { answerOf, Problem } from '../api/call.ts'
import { follow } from '../live/events.ts'
import { onReturn } from '../live/link.ts'

const PAGE = 200
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

/** The run at a place of the list; undefined while it is on its way. */
export const runAt = ({ pages }: Pick<RunList, 'pages'>, place: number): RunSummary | undefined =>
  pages.get(Math.floor(place / PAGE))?.[place % PAGE]

/** The pages of `GET /runs` with a query, until it is closed. */
export class RunPages {
  readonly #list = signal<RunList>({ pages: new Map(), total: null, sample: [], problem: null, newer: 0 })
  readonly #query: string
  readonly #ends: readonly (() => void)[]
  #seen = { from: 0, to: PAGE }
  /** Read since it began, or since it began anew. */
  #fresh = new Set<number>()
  #beginning: Beginning | null = null
  #newer = new Set<string>()
  #isLoading = false
  #isOver = false

  constructor(query: string) {
    this.#query = query
    this.#ends = [follow({ kinds: ['run'] }, this.#hear), onReturn(this.again)]
    this.#go()
  }

  get list(): ReadonlySignal<RunList> {
    return this.#list
  }

  /** These places are looked at: `to` is behind the last one. */
  readonly look = (from: number, to: number): void => {
    this.#seen = { from, to }
    if (this.#list.peek().problem === null) this.#go()
  }

  /** Reads anew what is looked at, as after a change; the old rows stay until then. */
  readonly again = (): void => {
    this.#fresh = new Set()
    this.#newer = new Set()
    this.#list.value = { ...this.#list.peek(), problem: null, newer: 0 }
    this.#go()
  }

  close(): void {
    this.#isOver = true
    for (const end of this.#ends) end()
  }

  #go(): void {
    if (this.#isLoading) return
    this.#isLoading = true
    void this.#work()
      .catch((error: unknown) => {
        const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
        this.#list.value = { ...this.#list.peek(), problem }
      })
      .finally(() => {
        this.#isLoading = false
        if (this.#list.peek().problem === null && !this.#isOver && this.#missing() !== null) this.#go()
      })
  }

  async #work(): Promise<void> {
    const isNewestFirst = !new URLSearchParams(this.#query).has('sort')
    for (let page = this.#missing(); page !== null && !this.#isOver; page = this.#missing()) {
      const mine = this.#fresh
      const beginning = page === 0 || !isNewestFirst ? null : this.#beginning
      // oxlint-disable-next-line no-await-in-loop -- one request at a time: what is looked at may be elsewhere by then
      const answer = await read(this.#query, page, beginning)
      if (mine !== this.#fresh) continue
      this.#fresh.add(page)
      if (page === 0) this.#begin(answer)
      this.#put(page, answer.runs)
    }
  }

  /** The next page to read: the first one tells how many there are. */
  #missing(): number | null {
    if (!this.#fresh.has(0)) return 0
    const last = Math.ceil((this.#list.peek().total ?? 0) / PAGE) - 1
    const end = Math.min(last, Math.floor((this.#seen.to - 1) / PAGE))
    for (let page = Math.floor(this.#seen.from / PAGE); page <= end; page += 1) if (!this.#fresh.has(page)) return page
    return null
  }

  #begin({ runs, total, at }: Page): void {
    this.#beginning = { newest: runs[0]?.created_at ?? null, at }
    for (const { id } of runs) this.#newer.delete(id)
    const known = this.#list.peek()
    this.#list.value = { ...known, total: total ?? runs.length, sample: runs, newer: this.#newer.size }
  }

  #put(page: number, runs: readonly RunSummary[]): void {
    const pages = new Map(this.#list.peek().pages).set(page, runs)
    const middle = (this.#seen.from + this.#seen.to) / 2 / PAGE
    const far = [...pages.keys()].toSorted((a, b) => Math.abs(b - middle) - Math.abs(a - middle))
    for (const one of far.slice(0, Math.max(0, pages.size - MOST_PAGES)).filter((other) => other !== 0)) {
      pages.delete(one)
      this.#fresh.delete(one)
    }
    this.#list.value = { ...this.#list.peek(), pages, problem: null }
  }

  readonly #hear = (frames: readonly EventFrame[]): void => {
    const told = new Map(frames.flatMap((frame) => (frame.type === 'run' ? [[frame.run.id, frame.run]] : [])))
    if (told.size === 0) return
    const known = this.#list.peek()
    const pages = new Map([...known.pages].map(([page, runs]) => [page, changed(runs, told)]))
    for (const run of told.values()) if (this.#isNewer(run)) this.#newer.add(run.id)
    this.#list.value = { ...known, pages, newer: this.#newer.size }
  }

  /** By what is known of it here: the engine filters by more. */
  #isNewer({ created_at: since, flow, group_id: id }: RunSummary): boolean {
    const asked = new URLSearchParams(this.#query)
    const [flows, group] = [asked.get('flow'), asked.get('group')]
    if (this.#beginning === null || since < this.#beginning.at) return false
    return (flows === null || flows.split(',').includes(flow)) && (group === null || group === id)
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
  if (page > 0) asked.set('at', String(page * PAGE - (newest === null ? 0 : 1)))
  const answer = await answerOf('GET', `/runs?${asked}`)
  const total = answer.headers.get('x-total-count')
  return {
    runs: (await answer.json()) as RunSummary[],
    total: total === null ? null : Number(total),
    at: new Date(answer.headers.get('date') ?? 0).toISOString(),
  }
}
