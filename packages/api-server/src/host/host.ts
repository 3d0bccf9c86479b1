/**
 * What the graph runtime reaches outside itself, composed from the slices of the engine.
 * @module
 */
import type { Clock, DeviceHost, Host, Lease, MarkerHost, Secrets, StoreHost, WorkHost } from '@flow-service/core'
import type { EngineEvent } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Dial } from '../egress/dialer.ts'
import type { OutgoingFetch } from '../egress/outgoing-fetch.ts'
import type { DeadLetters } from '../events/dead-letters.ts'
import type { EventBus } from '../events/event-bus.ts'
import { type Hooks, leased } from '../hooks/hooks.ts'
import type { RoutedNodes } from '../hooks/routed-nodes.ts'
import type { ServedSockets } from '../hooks/served-sockets.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { LiveLogs } from '../node-logs/live-logs.ts'
import { momentIds, newId } from '../process/new-id.ts'
import { maskedCall } from '../secrets/masked-call.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Dispatcher } from '../workers/dispatch.ts'
import type { NodeReports } from './node-report.ts'

/** Nouns of the engine that live flows and runs use. */
export interface HostDeps {
  readonly clock: Clock
  /** Left out where no other engine can run the flows. */
  readonly lease?: Lease | undefined
  readonly artifacts: Pick<Artifacts, 'put' | 'read'>
  readonly deadLetters: Pick<DeadLetters, 'record'>
  readonly dispatcher: Dispatcher
  readonly events: Pick<EventBus, 'isHeard' | 'publish'>
  /** What nodes reach of the engine's machine. */
  readonly machine: Pick<Host, 'files' | 'spawn'>
  readonly hooks: Pick<Hooks, 'register'>
  readonly servedSockets: Pick<ServedSockets, 'register'>
  readonly routedNodes: Pick<RoutedNodes, 'register'>
  /** The way out of the machine for nodes. */
  readonly egress: { readonly dial: Dial; readonly fetch: OutgoingFetch['fetch'] }
  readonly lastValues: Pick<LastValues, 'get' | 'record'>
  /** Keeps what nodes of live flows print, for who asks for it. */
  readonly liveLogs: Pick<LiveLogs, 'add'>
  /** Hears of nodes and payloads. */
  readonly reports: Omit<NodeReports, 'log'>
  /** Takes what nodes print. */
  readonly log: { info(place: { readonly flow: string; readonly node: string }, text: string): void }
  readonly redactor: Pick<Redactor, 'mask' | 'stream'>
  readonly secrets: Pick<Secrets, 'valueOf'>
  /** What the nodes of packages keep. */
  readonly connectorState: StoreHost
  /** Where nodes meet the devices that they stand for. */
  readonly deviceSeats: DeviceHost
  /** Time zone of cron patterns, an IANA name. */
  readonly timeZone: string
  readonly work: WorkHost
  readonly markers: MarkerHost
  /** Hears of every cascade that is over. */
  readonly cascadeEnded?: Host['cascadeEnded']
}

/** The engine's host of the runtime. */
export function createHost(deps: HostDeps): Host {
  const {
    artifacts,
    clock,
    connectorState,
    deadLetters,
    deviceSeats,
    dispatcher,
    egress,
    events,
    hooks,
    lastValues,
    lease,
    liveLogs,
    log,
    machine,
    markers,
    redactor,
    reports,
    routedNodes,
    secrets,
    servedSockets,
    timeZone,
    work,
    cascadeEnded = () => {},
  } = deps
  const { mask } = redactor
  return {
    clock,
    lease,
    newId,
    momentIds,
    timeZone,
    // what is shown and kept has no secrets; nodes pass values on to each other as they are
    record: (source, value, atMs, cascade) => lastValues.record(source, mask(value), atMs, cascade),
    current: (message) => lastValues.get(message)?.value ?? null,
    // by the clock of the values: what is told after a snapshot is told from it by its time
    event: (event) => events.publish(shownEvent(event, mask), clock.now()),
    isWatched: () => events.isHeard(),
    deadLetter(entry) {
      deadLetters.record({ ...entry, value: mask(entry.value) }, clock.now())
      reports.dropped(entry)
    },
    // core and the runs have masked it
    nodeFailed: reports.nodeFailed,
    payloadRefused: (refusal) => reports.payloadRefused({ ...refusal, message: mask(refusal.message) }),
    cascadeEnded,
    work,
    markers,
    log({ text: raw, ...place }) {
      const { offset, text } = liveLogs.add(place, mask(raw))
      log.info(place, text)
      if (events.isHeard()) events.publish({ type: 'log', ...place, run: null, offset, text }, clock.now())
    },
    webhook: (flow, route, handler) => hooks.register(flow, route, lease ? leased(handler, { clock, lease }) : handler),
    socketRoute: (flow, route, serve, full) => servedSockets.register(flow, route, serve, full),
    routes: (routes) => routedNodes.register(routes),
    fetch: (url, init) => egress.fetch(url, init),
    connect: (target) => egress.dial(target),
    files: machine.files,
    spawn: (command, env) => machine.spawn(command, env),
    call: (call) => maskedCall(call, redactor, (shown) => dispatcher.call(shown)),
    release: (flow, node) => dispatcher.release(flow, node),
    artifacts: {
      save: async (data, options) => (await artifacts.put(data, options)).ref,
      load: (digest) => artifacts.read(digest),
    },
    stores: connectorState,
    devices: deviceSeats,
    secrets: { valueOf: (name) => secrets.valueOf(name), mask },
  }
}

/** Core has masked what nodes tell of themselves; values are masked here. */
function shownEvent(event: EngineEvent, mask: Redactor['mask']): EngineEvent {
  if (event.type !== 'value') return event
  const value = mask(event.value)
  return value === event.value ? event : { ...event, value }
}
