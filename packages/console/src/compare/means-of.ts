/** Means over the runs that share a value, by the engine over all points: a mean of thinned curves would be another one. */
import type { CurveComparison } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { post, Problem } from '../api/call.ts'
import { pointsFor } from './curves-of.ts'

/** Runs that share a value: their mean at each x, and how far they are from it. */
export interface Mean {
  readonly key: unknown
  readonly runs: readonly string[]
  readonly xs: Float64Array
  readonly mean: Float64Array
  readonly sd: Float64Array
}

interface Asked {
  /** Of these runs only: a brush narrows means as well. */
  readonly runs: readonly string[]
  readonly metric: string
  readonly x: string
  /** `params.lr`; null for no means. */
  readonly by: string | null
  /** Changes when runs have ended meanwhile. */
  readonly turn: number
}

export interface MeansNow {
  /** Null until they are there, and where none are asked for. */
  readonly means: readonly Mean[] | null
  readonly problem: Problem | null
}

/** A brush that moves asks when it rests. */
const REST_MS = 200

export function useMeans({ runs, metric, x, by, turn }: Asked): MeansNow {
  const [now, setNow] = useState<MeansNow>({ means: null, problem: null })
  const ids = runs.join()
  useEffect(() => {
    if (by === null || ids === '') {
      setNow({ means: null, problem: null })
      return
    }
    let isOver = false
    const ask = async (): Promise<void> => {
      const asked = {
        ids: ids.split(','),
        metrics: [metric],
        x,
        points: Math.min(1000, pointsFor(runs.length)),
        group: by,
      }
      try {
        const { groups } = await post<CurveComparison>('/runs/series/compare', asked)
        if (!isOver) setNow({ means: (groups ?? []).filter((group) => group.x.length > 0).map(meanOf), problem: null })
      } catch (error) {
        const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
        if (!isOver) setNow((before) => ({ ...before, problem }))
      }
    }
    const timer = window.setTimeout(() => void ask(), REST_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [ids, metric, x, by, turn])
  return now
}

const meanOf = ({ key, runs, x, mean, sd }: NonNullable<CurveComparison['groups']>[number]): Mean => ({
  key,
  runs,
  xs: Float64Array.from(x),
  mean: Float64Array.from(mean),
  sd: Float64Array.from(sd),
})
