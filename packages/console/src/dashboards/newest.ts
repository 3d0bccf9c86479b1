/** What a widget gets, and the newest value of what it shows. */
import type { Message, WidgetOutput } from '@flow-service/client-sdk'
import { useComputed } from '@preact/signals'

import type { BoardNow } from './live.ts'
import { useRuns } from './runs-of.ts'

export interface WidgetProps<T extends WidgetOutput['type'] = WidgetOutput['type']> {
  readonly widget: Extract<WidgetOutput, { type: T }>
  readonly now: BoardNow
  /** By name; undefined while they are not known. */
  readonly messages: ReadonlyMap<string, Message> | undefined
}

/** What of a widget tells its value. */
interface Shows extends Pick<WidgetProps, 'now' | 'messages'> {
  readonly widget: Pick<WidgetOutput, 'binding' | 'source'>
}

/** The newest value: of the message, or the result of the newest run. Undefined while there is none. */
export function useNewest({ widget: { binding, source }, now, messages }: Shows): unknown {
  const runs = useRuns(source?.kind === 'runs' ? source : null, now)
  const message = binding?.message ?? (source?.kind === 'messages' ? source.messages[0] : undefined)
  const live = useComputed(() => (message === undefined ? null : now.values.of(message).value)).value
  if (live !== null && !(live.value === null && live.ts === null)) return live.value
  const [run] = runs.data?.runs ?? []
  const result = run ? resultOf(run.results, message) : undefined
  if (result !== undefined) return result
  const known = message === undefined ? undefined : messages?.get(message)?.value
  return known === null ? undefined : known
}

/** Of several results the one that the message names. */
function resultOf(results: Readonly<Record<string, unknown>>, message: string | undefined): unknown {
  const name = message?.slice(message.indexOf('.') + 1)
  return name !== undefined && Object.hasOwn(results, name) ? results[name] : Object.values(results)[0]
}
