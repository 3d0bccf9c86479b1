/** The runs that are compared: those that somebody has chosen, or those that a filter or a sweep has now. */
import type { MetricName, RunSummary } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { answerOf, get, Problem } from '../api/call.ts'

/** What is known of a run beside its curves. */
export interface RunInfo {
  readonly id: string
  readonly flow: string
  readonly status: string
  readonly seed: number | null
  readonly commit: string | null
  readonly digest: string | null
  /** Not told of runs that are chosen by their ids. */
  readonly flow_version?: number | null
  readonly started_at: string | null
  readonly duration_s: number | null
  readonly params: Readonly<Record<string, unknown>>
}

/** The runs of a choice, and their curves by name. */
export interface Chosen {
  readonly runs: readonly RunInfo[]
  /** Runs that fit but are not compared, or are asked for and not there. */
  readonly left: { readonly over: number; readonly lost: number }
}

export interface ChosenNow {
  /** Null until they are known. */
  readonly chosen: Chosen | null
  readonly problem: Problem | null
}

/** As many runs of a filter are compared: the newest, or the first of its order. */
const MOST_RUNS = 500
/** An address of more ids than this is longer than servers take. */
const IDS_AT_ONCE = 200
const selections = ['flow', 'status', 'group', 'filter', 'sort', 'archived'] as const

/** What of an address chooses runs, as a text that tells two choices apart. */
export function choiceOf(query: URLSearchParams): string {
  const ids = query.get('ids')
  const asked = new URLSearchParams()
  if (ids) asked.set('ids', ids)
  else for (const name of selections) if (query.get(name)) asked.set(name, query.get(name) ?? '')
  return asked.toString()
}

/** The runs of a choice. */
export function useRuns(choice: string): ChosenNow & { readonly again: () => void } {
  const [known, setKnown] = useState<ChosenNow>({ chosen: null, problem: null })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isOver = false
    setKnown({ chosen: null, problem: null })
    runsOf(new URLSearchParams(choice)).then(
      (chosen) => {
        if (!isOver) setKnown({ chosen, problem: null })
      },
      (error: unknown) => {
        const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
        if (!isOver) setKnown({ chosen: null, problem })
      },
    )
    return () => {
      isOver = true
    }
  }, [choice, turn])
  return { ...known, again: () => setTurn(turn + 1) }
}

async function runsOf(choice: URLSearchParams): Promise<Chosen> {
  if (choice.size === 0) return { runs: [], left: { over: 0, lost: 0 } }
  const ids = choice.get('ids')
  if (ids !== null) return runsById([...new Set(ids.split(',').filter(Boolean))])
  const answer = await answerOf('GET', `/runs?${choice}&limit=${MOST_RUNS}&include=params,total`)
  const runs = ((await answer.json()) as RunSummary[]).map(({ params, ...run }) => ({ ...run, params: params ?? {} }))
  const total = Number(answer.headers.get('x-total-count') ?? runs.length)
  return { runs, left: { over: Math.max(0, total - runs.length), lost: 0 } }
}

async function runsById(ids: readonly string[]): Promise<Chosen> {
  const texts = await Promise.all(
    parts(ids).map(async (some) => {
      const query = new URLSearchParams({ format: 'jsonl', ids: some.join() })
      return (await answerOf('GET', `/runs/export/runs?${query}`)).text()
    }),
  )
  const lines = texts.flatMap((text) => text.split('\n').filter(Boolean))
  const known = new Map(lines.map((line) => JSON.parse(line) as RunInfo).map((run) => [run.id, run]))
  const runs = ids.flatMap((id) => known.get(id.toLowerCase()) ?? [])
  return { runs, left: { over: 0, lost: ids.length - runs.length } }
}

/** Names of the curves of runs, those that most of them have first; of several flows also what they share. */
export async function metricsOf(runs: readonly RunInfo[]): Promise<string[]> {
  const answers = await Promise.all(
    parts(runs.map(({ id }) => id)).map((ids) => get<MetricName[]>(`/runs/metrics/names?ids=${ids.join()}`)),
  )
  const counts = new Map<string, number>()
  for (const { name, runs: count } of answers.flat()) counts.set(name, (counts.get(name) ?? 0) + count)
  for (const [bare, of] of Map.groupBy(counts.keys(), bareName)) {
    if (of.length > 1)
      counts.set(
        bare,
        of.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0),
      )
  }
  return [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name)
}

/** Of `fit.loss` what other flows may have as well. */
export const bareName = (name: string): string => name.slice(name.indexOf('.') + 1)

const parts = (ids: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / IDS_AT_ONCE) }, (_, at) =>
    ids.slice(at * IDS_AT_ONCE, (at + 1) * IDS_AT_ONCE),
  )
