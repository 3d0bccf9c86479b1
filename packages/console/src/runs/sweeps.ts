/** Runs that were submitted together, gathered from a list of runs. */
import type { RunSummary } from '@flow-service/client-sdk'

export interface Sweep {
  readonly id: string
  readonly flow: string
  /** Newest first, as the list has them. */
  readonly runs: readonly RunSummary[]
  /** Whether the list ended within it: there may be more of its runs. */
  readonly isCut: boolean
}

/** The sweeps among runs that are newest first; `isEnd`: there are no older ones. */
export function sweepsOf(runs: readonly RunSummary[], isEnd: boolean): Sweep[] {
  const byId = Map.groupBy(
    runs.filter(({ group_id: id }) => id !== null),
    ({ group_id: id }) => id as string,
  )
  const last = runs.at(-1)?.group_id
  return [...byId].map(([id, own]) => ({ id, flow: own[0]?.flow ?? '', runs: own, isCut: !isEnd && id === last }))
}

export interface Outcomes {
  readonly ok: number
  readonly error: number
  readonly cancelled: number
  readonly abandoned: number
  /** Those that wait or execute are part of it. */
  readonly total: number
}

export function outcomesOf(runs: readonly RunSummary[]): Outcomes {
  const count = (is: RunSummary['status']): number => runs.filter(({ status }) => status === is).length
  return {
    ok: count('ok'),
    error: count('error'),
    cancelled: count('cancelled'),
    abandoned: count('abandoned'),
    total: runs.length,
  }
}

/** Least, greatest and newest of the last values of a curve over runs, newest first; null where none has it. */
export interface Extremes {
  readonly least: number
  readonly greatest: number
  readonly last: number
}

export function extremesOf(runs: readonly RunSummary[], metric: string): Extremes | null {
  const values = runs.flatMap(({ metrics }) => {
    const last = metrics?.[metric]?.last
    return typeof last === 'number' ? [last] : []
  })
  const [last] = values
  if (last === undefined) return null
  return {
    least: values.reduce((one, other) => Math.min(one, other)),
    greatest: values.reduce((one, other) => Math.max(one, other)),
    last,
  }
}

/** Names of parameters of which the runs have different values. */
export function varied(runs: readonly RunSummary[]): string[] {
  const [first] = runs
  return Object.keys(first?.params ?? {}).filter((name) => {
    const one = JSON.stringify(first?.params?.[name])
    return runs.some(({ params }) => JSON.stringify(params?.[name]) !== one)
  })
}
