/**
 * What live nodes say of themselves, for who shows it to people instead of keeping it in the log.
 * @module
 */
import type { EventBus } from '../events/event-bus.ts'
import type { HostDeps } from './host.ts'

/** What a live node says of itself, without the values of secrets. */
export interface NodeReport {
  readonly flow: string
  readonly node: string
  /** `print`: what its code wrote, in one or several lines; `failure`: why it is failed now. */
  readonly is: 'print' | 'failure'
  readonly text: string
}

/** Hears reports in their order; must not block. */
export type NodeListener = (report: NodeReport) => void

/** Where a host puts what nodes print: the log, or the listener, which hears of failures too. */
export function nodeLogOf({
  onNodeReport: tell,
  bus,
  log,
}: {
  readonly onNodeReport: NodeListener | null
  readonly bus: Pick<EventBus, 'subscribe'>
  readonly log: HostDeps['log']
}): HostDeps['log'] {
  // what code prints ends a line, and an entry of the log is one
  if (tell === null) return { info: (place, text) => log.info(place, text.trimEnd()) }
  const failed = new Map<string, string>()
  bus.subscribe(
    (event) => {
      if (event.type !== 'node' || event.run !== null) return
      const { flow, node, error } = event
      const key = `${flow} ${node}`
      if (error === null) failed.delete(key)
      else if (failed.get(key) !== error.message) {
        // a failed node is told of again while it executes
        failed.set(key, error.message)
        tell({ flow, node, is: 'failure', text: error.message })
      }
    },
    { quiet: true },
  )
  return { info: (place, text) => tell({ ...place, is: 'print', text }) }
}
