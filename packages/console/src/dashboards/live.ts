/** What happens to what a dashboard shows: values of messages as signals, and a turn that goes on when runs have changed. */
import type { DashboardContentOutput, WidgetOutput } from '@flow-service/client-sdk'
import type { EventFrame } from '@flow-service/protocol'
import { type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { follow } from '../live/events.ts'
import { paced } from '../live/paced.ts'
import { type LiveValues, liveValues } from '../live/values.ts'

export interface BoardNow {
  readonly values: LiveValues
  /** Goes on when runs have begun or ended, a run of a flow has gone on, or the connection is there again. */
  readonly turn: ReadonlySignal<number>
  /** Frames as they come; ends with the result. */
  readonly listen: (listener: (frames: readonly EventFrame[]) => void) => () => void
  /** Flows whose runs are shown, of sources that do not name them. */
  readonly heed: (flows: readonly string[]) => void
}

/** Curves of runs are read anew at most so often. */
const AGAIN_MS = 1000

/** Follows the messages and runs of a dashboard while it is on the page. */
export function useBoardNow(content: DashboardContentOutput): BoardNow {
  const flows = flowsOf(content).join()
  const [heeded, setHeeded] = useState<readonly string[]>([])
  const followed = [...new Set([...flowsOf(content), ...heeded])].toSorted().join()
  const made = useMemo(() => {
    const values = liveValues()
    const turn = signal(0)
    const listeners = new Set<(frames: readonly EventFrame[]) => void>()
    const heed = (more: readonly string[]): void =>
      setHeeded((known) => (more.every((one) => known.includes(one)) ? known : [...new Set([...known, ...more])]))
    return { values, turn, listeners, now: { values, turn, listen: listening(listeners), heed } }
  }, [flows])
  useEffect(() => {
    if (followed === '') return
    const again = paced(AGAIN_MS, () => (made.turn.value += 1))
    const end = follow({ kinds: ['value', 'run'], flows: followed.split(',') }, (frames) => {
      made.values.take(frames)
      for (const listener of made.listeners) listener(frames)
      const isOfRuns = frames.some(
        (frame) => frame.type === 'run' || frame.type === 'snapshot' || (frame.type === 'value' && frame.run !== null),
      )
      if (isOfRuns) again.ask()
    })
    return () => {
      again.end()
      end()
    }
  }, [followed, made])
  return made.now
}

const listening =
  (listeners: Set<(frames: readonly EventFrame[]) => void>): BoardNow['listen'] =>
  (listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

/** Messages that a widget shows or publishes. */
export const messagesOf = ({ binding, source }: WidgetOutput): readonly string[] => [
  ...(binding ? [binding.message] : []),
  ...(source?.kind === 'messages' ? source.messages : []),
]

/** The flows whose messages and runs are shown, as far as the dashboard names them. */
function flowsOf({ widgets }: DashboardContentOutput): readonly string[] {
  const flows = widgets.flatMap((widget) => [
    ...messagesOf(widget).map((message) => message.slice(0, message.indexOf('.'))),
    ...(widget.source?.kind === 'runs' && 'flow' in widget.source.select ? [widget.source.select.flow] : []),
  ])
  return [...new Set(flows)].toSorted()
}
