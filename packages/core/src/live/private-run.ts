/**
 * A live flow run once, by itself (wire decision G26): its nodes act for real, but nothing comes in except what it is
 * fed, and nothing of it reaches the catalogue or other flows (flow.F6).
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument, NodeState } from '@flow-service/protocol'

import { conform } from '../conform.ts'
import type { Clock, OverCascade, Host, Mount } from '../host.ts'
import { MemoryMarkers } from '../memory-markers.ts'
import { StartError } from '../node-life.ts'
import { privateStores } from '../package-stores.ts'
import type { NodeRegistry } from '../registry.ts'
import { startTimer } from '../timers.ts'
import { Bus } from './bus.ts'
import type { Cause } from './cascade.ts'
import { Cascades } from './cascades.ts'
import { TriggerError } from './flow.ts'
import { nothingKept } from './nothing-kept.ts'
import { RunningFlow } from './running-flow.ts'

/** How long such a run may take, its start and stop included. */
const LIMIT_MS = 30_000

/** What is run. */
export interface PrivateRun {
  /** A checked document. */
  readonly document: FlowDocument
  readonly host: Host
  readonly registry: NodeRegistry
  /** Values by the name of the flow's inputs, published one after the other; none: every node without inputs acts. */
  readonly inputs: Values
  /** Nothing of the run goes on any more; its answer may come earlier, when the time is up. */
  readonly onEnd?: () => void
}

/** What came of it. */
export interface PrivateRunResult {
  readonly cascade: string
  /** `timed_out`: it was not quiet after 30 s, and was ended. */
  readonly status: 'ok' | 'error' | 'timed_out'
  /** The last value of each message, by qualified name. */
  readonly values: Values
  readonly nodes: readonly NodeState[]
}

/**
 * Runs the flow until nothing executes and no timer of its nodes is set. Throws a {@link TriggerError} for a value that
 * names no input of the flow or is off its dtype, and a StartError when a node does not start or all take 30 s.
 */
export async function runPrivately({ onEnd = () => {}, ...run }: PrivateRun): Promise<PrivateRunResult> {
  const late = Promise.withResolvers<'late'>()
  const stopWaiting = startTimer(run.host.clock, LIMIT_MS, () => late.resolve('late'))
  const ends: Promise<unknown>[] = []
  try {
    return await runUntil(late.promise, run, ends)
  } finally {
    stopWaiting()
    void Promise.all(ends).finally(onEnd)
  }
}

/** Runs until `late`; `ends` is given what goes on after the answer, which never rejects. */
async function runUntil(
  late: Promise<'late'>,
  { document, host, registry, inputs }: PrivateRun,
  ends: Promise<unknown>[],
): Promise<PrivateRunResult> {
  checkInputs(document, inputs)
  const values: Values = {}
  const quiet = new Quiet(host.clock)
  const own = privateHost(host, { values, quiet })
  const bus = new Bus(own)
  const cascades = new Cascades(own)
  const flow = new RunningFlow(
    document,
    { host: own, registry, bus, cascades, isPrivate: true, isFirst: true },
    () => {},
  )
  const started = flow.start({})
  if ((await Promise.race([started, late])) === 'late') {
    ends.push(
      started.then(
        () => flow.stop(),
        () => {},
      ),
    )
    throw new StartError(null, `flow "${document.name}" had not started after ${LIMIT_MS / 1000} s`)
  }
  const cascade = cascades.begin({
    flow: document.name,
    origin: { kind: 'trigger', node: null, message: null },
    run: null,
  })
  feed(flow, { bus, inputs, cause: cascade, atMs: host.clock.now() })
  cascade.leave()
  const isQuiet = await quiet.reached(late, {
    idle: () => flow.idle(),
    isOver: () => cascades.running().length === 0,
  })
  const nodes = flow.nodeStates()
  const stopped = flow.stop()
  ends.push(stopped)
  await Promise.race([stopped, late])
  const failed = quiet.failed || nodes.some(({ status }) => status === 'failed')
  return { cascade: cascade.id, status: isQuiet ? (failed ? 'error' : 'ok') : 'timed_out', values, nodes }
}

function checkInputs(document: FlowDocument, inputs: Values): void {
  for (const [name, value] of Object.entries(inputs)) {
    const input = document.inputs.find((declared) => declared.name === name)
    if (input === undefined) {
      const known = document.inputs.map((declared) => `"${declared.name}"`).join(', ') || 'none'
      throw new TriggerError(name, `flow "${document.name}" has no input "${name}"; it has ${known}`)
    }
    try {
      conform(input.dtype, value, `input "${name}"`)
    } catch (error) {
      throw new TriggerError(name, (error as Error).message)
    }
  }
}

interface Feed {
  readonly bus: Bus
  readonly inputs: Values
  readonly cause: Cause
  readonly atMs: number
}

function feed(flow: RunningFlow, { bus, inputs, cause, atMs }: Feed): void {
  const { name } = flow
  for (const [input, value] of Object.entries(inputs)) {
    const source = { message: `${name}.${input}`, flow: name, node: null, port: null }
    bus.publishOutside(source, value, cause, atMs)
  }
  if (Object.keys(inputs).length > 0) return
  for (const { id, ports } of flow.document.nodes) {
    if (!ports.some(({ direction }) => direction === 'input')) flow.act(id, cause)
  }
}

/** Waits until nothing goes on any more. */
class Quiet {
  readonly clock: Clock
  failed = false
  readonly #outer: Clock
  #timers = 0
  #wake: () => void = () => {}

  constructor(outer: Clock) {
    this.#outer = outer
    this.clock = { now: () => outer.now(), setTimer: (delayMs, run) => this.#setTimer(delayMs, run) }
  }

  /** A cascade is over. */
  ended({ status }: OverCascade): void {
    if (status === 'error') this.failed = true
    this.#wake()
  }

  /** False when the time is up first. */
  async reached(
    late: Promise<unknown>,
    { idle, isOver }: { readonly idle: () => Promise<void>; readonly isOver: () => boolean },
  ): Promise<boolean> {
    let isLate = false
    void late.then(() => {
      isLate = true
      this.#wake()
    })
    while (!isLate) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve))
      // oxlint-disable-next-line no-await-in-loop -- each turn waits for what the one before left
      await Promise.race([idle(), woken])
      if (isOver() && this.#timers === 0) break
      // oxlint-disable-next-line no-await-in-loop
      await woken
    }
    return !isLate
  }

  #setTimer(delayMs: number, run: () => void): () => void {
    let isSet = true
    this.#timers++
    const over = (): void => {
      if (!isSet) return
      isSet = false
      this.#timers--
      this.#wake()
    }
    const cancel = this.#outer.setTimer(delayMs, () => {
      run()
      over()
    })
    return () => {
      cancel()
      over()
    }
  }
}

const unmounted: Mount = { hold() {}, open() {}, unmount() {} }

/** The engine's host, but for what would be seen outside of the run. */
function privateHost(host: Host, { values, quiet }: { values: Values; quiet: Quiet }): Host {
  const id = host.newId()
  const place = (flow: string): string => `${flow}/${id}`
  return {
    clock: quiet.clock,
    timeZone: host.timeZone,
    newId: () => host.newId(),
    momentIds: () => host.momentIds(),
    record: ({ message }, value) => void (values[message] = host.secrets.mask(value)),
    current: (message) => values[message] ?? host.current(message),
    event: () => {},
    isWatched: () => false,
    deadLetter: () => {},
    nodeFailed: (failure) => host.nodeFailed?.(failure),
    cascadeEnded: (cascade) => quiet.ended(cascade),
    work: nothingKept,
    markers: new MemoryMarkers(),
    log: (entry) => host.log(entry),
    webhook: () => unmounted,
    socketRoute: () => unmounted,
    routes: () => unmounted,
    fetch: (url, init) => host.fetch(url, init),
    connect: (target) => host.connect(target),
    files: host.files,
    spawn: (command, env) => host.spawn(command, env),
    // processes of a private run are its own: the warm ones belong to the published flow
    call: (call) => host.call({ ...call, document: { ...call.document, name: place(call.document.name) } }),
    release: (flow, node) => host.release(place(flow), node),
    artifacts: host.artifacts,
    stores: privateStores(host.stores),
    devices: { seat: () => () => {} },
    secrets: host.secrets,
  }
}
