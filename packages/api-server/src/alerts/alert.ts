/**
 * What the engine has noticed of itself, and the words in which it is told.
 * @module
 */
import { type AlertEvent, type AlertMessage, timestampOfMs } from '@flow-service/protocol'

/** Something that failed. */
export interface Alert {
  readonly event: AlertEvent
  /** Of what: repeats of one event and subject are counted together. */
  readonly subject: string
  readonly flow: string | null
  readonly node: string | null
  readonly run: string | null
  /** What of the engine, where it is none of these. */
  readonly detail: string | null
  /** Whether every engine of the database notices it. */
  readonly everywhere: boolean
  readonly atMs: number
}

/** What is told of a new one. */
type Noticed = Pick<Alert, 'event' | 'subject' | 'atMs'> & Partial<Alert>

const MAX_DETAIL = 2_000

/** An alert whose other parts are nothing. */
export const alertOf = ({ detail = null, ...noticed }: Noticed): Alert => ({
  flow: null,
  node: null,
  run: null,
  everywhere: false,
  ...noticed,
  detail: detail !== null && detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL)}…` : detail,
})

/** What two alerts have in common whose repeats are counted together. */
export const keyOf = ({ event, subject }: Pick<Alert, 'event' | 'subject'>): string => `${event}\n${subject}`

const warnings: ReadonlySet<AlertEvent> = new Set(['worker_lost', 'connector_down'])

/** The message about something that has happened so often. */
export function messageOf(alert: Alert, count: number): AlertMessage {
  const { event, detail, flow, node, run, atMs } = alert
  const title = count === 1 ? titleOf(alert) : `${titleOf(alert)} (${count} times)`
  const severity = warnings.has(event) ? 'warning' : 'error'
  return { event, severity, title, detail, flow, node, run, ts: timestampOfMs(atMs), count }
}

function titleOf({ event, subject, flow, node }: Alert): string {
  switch (event) {
    case 'flow_failed':
      return `flow "${flow}" has failed`
    case 'node_failed':
      return `node "${node}" of flow "${flow}" has failed`
    case 'run_error':
      return `a run of flow "${flow}" has ended with an error`
    case 'run_abandoned':
      return `a run of flow "${flow}" was given up`
    case 'worker_lost':
      return `worker "${subject}" is lost`
    case 'connector_down':
      return `node "${node}" of flow "${flow}" has lost its connection`
    case 'store_unavailable':
      return 'the database is not available'
    case 'queue_stalled':
      return 'runs wait though there is room for them'
  }
}

/** The message that tests a channel. */
export const testMessage = (atMs: number): AlertMessage => ({
  event: 'test',
  severity: 'info',
  title: 'a test of this channel',
  detail: 'Alerts of the engine arrive here.',
  flow: null,
  node: null,
  run: null,
  ts: timestampOfMs(atMs),
  count: 1,
})
