/**
 * What pages show of the engine: GETs by their path. Two parts of a page that ask for the same share one request; what is
 * known stays on the screen while it is asked for again, and when the engine is away: what a page shows is asked for until it
 * is there.
 */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { link } from '../live/link.ts'
import { session } from '../session.ts'
import { get, Problem } from './call.ts'

/** What is known of an answer. */
export interface Resource<T> {
  /** Undefined until the first answer. */
  readonly data: T | undefined
  /** Why there is no newer answer. */
  readonly problem: Problem | null
}

interface Entry {
  readonly state: Signal<Resource<unknown>>
  /** Parts of the page that show it. */
  users: number
  loading: Promise<void> | null
  /** Asked for again while a request was under way. */
  isStale: boolean
  /** Asks again an engine that was away. */
  timer: number
  waitMs: number
}

/** Milliseconds after an engine was away, doubled up to the most. */
const [FIRST_MS, MOST_MS] = [1_000, 15_000]

const entries = new Map<string, Entry>()
/** What nobody shows any more is kept for who comes back to it, the newest of it. */
const MAX_KEPT = 50

session.subscribe((now) => {
  if (now === null) entries.clear()
})
// what was missed while the engine was away
link.subscribe((now) => {
  if (now === 'open') for (const [path, { users }] of entries) if (users > 0) void load(path)
})

/** The answer to a GET for as long as the calling component is on the page. */
export function useResource<T>(path: string): ReadonlySignal<Resource<T>> {
  const { state } = entryOf(path)
  useEffect(() => {
    const entry = entryOf(path)
    entry.users += 1
    void load(path)
    return () => {
      entry.users -= 1
    }
  }, [path])
  return state as Signal<Resource<unknown>> as Signal<Resource<T>>
}

/** Asks for it again; several calls while a request is under way are one more request. */
export async function load(path: string): Promise<void> {
  const entry = entryOf(path)
  entry.isStale = true
  entry.loading ??= (async () => {
    while (entry.isStale) {
      entry.isStale = false
      // oxlint-disable-next-line no-await-in-loop -- one request at a time
      await ask(path, entry)
    }
  })().finally(() => (entry.loading = null))
  await entry.loading
}

async function ask(path: string, entry: Entry): Promise<void> {
  const { state } = entry
  clearTimeout(entry.timer)
  try {
    state.value = { data: await get<unknown>(path), problem: null }
    entry.waitMs = FIRST_MS
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
    state.value = { data: state.peek().data, problem }
    if (isAway(problem)) askLater(path, entry)
  }
}

/** Nobody has answered, or a proxy in front, or an engine that begins or ends. */
const isAway = ({ status }: Problem): boolean => status === 0 || (status >= 502 && status <= 504)

function askLater(path: string, entry: Entry): void {
  // not all pages at once, when an engine comes back
  const waitMs = entry.waitMs * (0.75 + Math.random() / 2)
  entry.timer = window.setTimeout(() => entry.users > 0 && void load(path), waitMs)
  entry.waitMs = Math.min(2 * entry.waitMs, MOST_MS)
}

function entryOf(path: string): Entry {
  const known = entries.get(path)
  if (known) return known
  const entry: Entry = {
    state: signal({ data: undefined, problem: null }),
    users: 0,
    loading: null,
    isStale: false,
    timer: 0,
    waitMs: FIRST_MS,
  }
  for (const [other, { users }] of entries) {
    if (entries.size < MAX_KEPT) break
    if (users === 0) entries.delete(other)
  }
  entries.set(path, entry)
  return entry
}
