/** What the runs of the page emit while they execute, by one socket for all of its charts. */
import type { EventFrame } from '@flow-service/protocol'
import { type ReadonlySignal, signal } from '@preact/signals'

import { follow } from '../live/events.ts'
import type { RunInfo } from './runs-of.ts'

type Fate = Pick<RunInfo, 'status' | 'started_at' | 'duration_s'>

export interface LiveRuns {
  /** The runs that were not over when the page was opened. */
  readonly going: readonly string[]
  /** What has become of runs meanwhile. */
  readonly fates: ReadonlySignal<ReadonlyMap<string, Fate>>
  /** Takes a status in that an answer tells of, which no frame has told while the connection was lost. */
  readonly told: (run: string, status: string) => void
  /** Hears of them until the result is called. */
  readonly listen: (listener: (frame: EventFrame) => void) => () => void
  readonly close: () => void
}

const isGoing = ({ status }: Pick<RunInfo, 'status'>): boolean => status === 'running' || status === 'queued'

export function liveRuns(runs: readonly RunInfo[]): LiveRuns {
  const going = runs.filter(isGoing).map(({ id }) => id)
  const fates = signal<ReadonlyMap<string, Fate>>(new Map())
  const listeners = new Set<(frame: EventFrame) => void>()
  const take = (frame: EventFrame): void => {
    if (frame.type === 'run') {
      // of all else, as parameters, an event tells less than is known
      const { id, status, started_at, duration_s } = frame.run
      fates.value = new Map(fates.peek()).set(id, { status, started_at, duration_s })
    }
    for (const listener of listeners) listener(frame)
  }
  const end =
    going.length === 0
      ? () => undefined
      : follow({ kinds: ['value', 'run'], runs: going }, (frames) => {
          for (const frame of frames) take(frame)
        })
  return {
    going,
    fates,
    told(run, status) {
      const known = fates.peek().get(run) ?? runs.find(({ id }) => id === run)
      if (known && known.status !== status) fates.value = new Map(fates.peek()).set(run, { ...known, status })
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: end,
  }
}
