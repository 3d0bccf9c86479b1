/** The runs that are compared: those that somebody has chosen, or those that a filter or a sweep has now. */
import type { RunSummary } from '@flow-service/client-sdk'
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
  readonly started_at: string | null
  readonly duration_s: number | null
  readonly params: Readonly<Record<string, unknown>>
}

export interface ChosenRuns {
  /** Null until they are known. */
  readonly runs: readonly RunInfo[] | null
  readonly problem: Problem | null
}

/** As many runs of a filter are compared: the newest, or the first of its order. */
export const MOST_RUNS = 500
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
export function useRuns(choice: string): ChosenRuns & { readonly again: () => void } {
  const [known, setKnown] = useState<ChosenRuns>({ runs: null, problem: null })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isOver = false
    runsOf(new URLSearchParams(choice)).then(
      (runs) => {
        if (!isOver) setKnown({ runs, problem: null })
      },
      (error: unknown) => {
        const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
        if (!isOver) setKnown((before) => ({ ...before, problem }))
      },
    )
    return () => {
      isOver = true
    }
  }, [choice, turn])
  return { ...known, again: () => setTurn(turn + 1) }
}

async function runsOf(choice: URLSearchParams): Promise<RunInfo[]> {
  const ids = choice.get('ids')
  if (ids === null) {
    if (choice.size === 0) return []
    const runs = await get<RunSummary[]>(`/runs?${choice}&limit=${MOST_RUNS}&include=params`)
    return runs.map(({ params, ...run }) => ({ ...run, params: params ?? {} }))
  }
  const answer = await answerOf('GET', `/runs/export/runs?${new URLSearchParams({ format: 'jsonl', ids })}`)
  const runs = (await answer.text())
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as RunInfo)
  const wanted = ids.split(',')
  return runs.toSorted((a, b) => wanted.indexOf(a.id) - wanted.indexOf(b.id))
}
