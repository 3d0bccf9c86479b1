/**
 * The workers that are attached to this engine, and those that it refused because they speak another version.
 * @module
 */
import {
  type CallMark,
  type HelloFrame,
  WORKER_PROTOCOL,
  type WorkerEntry,
  type WelcomeFrame,
  type WorkerFrame,
} from '@flow-service/protocol'
import type { EngineTransport } from '@flow-service/worker-agent'

import type { EngineLease } from '../engines/lease.ts'
import type { WorkerPrincipal } from '../http/principal.ts'
import { AttachedWorker, HEARTBEAT_S, SILENCE_S } from './attached-worker.ts'
import type { Amounts } from './demand.ts'
import { type AdoptedCalls, callsInMemory, type KeptCalls } from './kept-calls.ts'
import { notedLink } from './noted-link.ts'
import { isOurs, type RefusedDeps, RefusedWorkers } from './refused-workers.ts'
import type { WorkerLink } from './worker-deps.ts'
import { WorkerSession } from './worker-session.ts'

/** Nouns and facts of the engine that the pool uses. */
export interface PoolDeps extends RefusedDeps {
  /** Where workers attach to the engines of the database; unless given, nowhere else. */
  readonly engines?: Pick<EngineLease, 'attachUrl' | 'attachUrls' | 'onAttachUrls'>
  /** Seconds that a worker of another machine has to come back to its batch calls; 0 unless given. */
  readonly resumeS?: number
  /** What a worker is told of it; the same unless given. */
  readonly toldResumeS?: number
  /** Where calls are kept that a worker can come back to; in memory unless given. */
  readonly kept?: KeptCalls
}

/** Where a call wants to run. */
export interface Wish {
  /** A worker's name or label; null asks for the engine's own agent. */
  readonly worker: string | null
  readonly policy: 'require' | 'prefer'
  readonly demand: Amounts
  /** Name of the interpreter of Python code; null for the usual one, and of other code. */
  readonly python: string | null
  /** The id of the worker that has the process of a live node; null when there is none. */
  readonly home: string | null
}

/** A worker whose calls are lost, and how. */
export interface LostWorker {
  readonly worker: string
  readonly detail: string
}

/** What a link brings. */
interface Seat {
  readonly receive: (frame: WorkerFrame, bytes: number) => void | Promise<void>
  readonly cut: () => void
}

/** A worker that can come back. */
interface Returning {
  readonly session: WorkerSession
  readonly worker: AttachedWorker
}

/** Knows the attached workers and chooses among them. */
export class WorkerPool {
  readonly #deps: PoolDeps
  readonly #workers = new Map<string, AttachedWorker>()
  /** Of the workers that can come back, by the names of their sessions. */
  readonly #sessions = new Map<string, Returning>()
  /** Sessions that are being adopted. */
  readonly #adopting = new Map<string, Promise<Seat>>()
  readonly #refused: RefusedWorkers
  readonly #listeners = new Set<() => void>()
  readonly #mourners = new Set<(lost: LostWorker) => void>()
  #droppedResults = 0

  constructor(deps: PoolDeps) {
    this.#deps = deps
    this.#refused = new RefusedWorkers(deps)
    deps.engines?.onAttachUrls(() => {
      for (const worker of this.#workers.values()) worker.tellEngines(deps.engines?.attachUrls ?? [])
    })
  }

  /** The attached workers, the longest attached first. */
  list(): AttachedWorker[] {
    return [...this.#workers.values()]
  }

  /** Results that nobody waited for, of all workers since the start. */
  get droppedResults(): number {
    return this.#droppedResults
  }

  /** Workers that were refused for their version, until one of the name attaches; the longest refused first. */
  needingUpgrade(): WorkerEntry[] {
    return this.#refused.list()
  }

  /** Calls back whenever a worker attaches, leaves or has a free slot; the result ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls back whenever a worker of another machine disconnects during calls or falls silent; the result ends that. */
  onLost(listener: (lost: LostWorker) => void): () => void {
    this.#mourners.add(listener)
    return () => this.#mourners.delete(listener)
  }

  /**
   * Takes a worker in once it says hello, until its transport closes; one of another version, or with other labels than
   * its token, is told why not, and its transport is closed. Without a token it is the engine's own agent.
   */
  attach(transport: EngineTransport, token: WorkerPrincipal | null): void {
    let seat: Seat | null = null
    // a link may take its time to close
    let isAnswered = false
    let isClosed = false
    transport.onFrame((frame, bytes = 0) => {
      if (seat) return seat.receive(frame, bytes)
      if (frame.type !== 'hello' || isAnswered) return
      isAnswered = true
      const refusal = this.#refused.refusalOf(frame, token)
      if (refusal !== null) {
        transport.send(refusal)
        transport.close('refused')
      } else if (isOurs(frame)) {
        const taken = this.#take(transport, frame, token)
        if (!(taken instanceof Promise)) seat = taken
        else
          void taken.then((late) => {
            seat = late
            if (isClosed) late.cut()
          })
      }
    })
    transport.onClose(() => {
      isClosed = true
      seat?.cut()
    })
  }

  /** A token counts no more: none of its workers comes back. */
  revoked(jti: string): void {
    for (const { session } of this.#sessions.values()) if (session.jti === jti) session.revoke()
  }

  /**
   * The worker that takes the wish now, or null when it has to wait. Among the workers that are meant and have room,
   * the one with the fewest calls. `prefer` means the engine's agent while no attached worker is meant. A live node stays
   * with its process as long as that worker is meant: what its code keeps in memory is there.
   */
  choose({ worker, policy, demand, python, home }: Wish): AttachedWorker | null {
    const workers = this.list().filter(({ isAway }) => !isAway)
    const meant =
      worker === null ? [] : workers.filter((candidate) => candidate.answersTo(worker) && candidate.hasPython(python))
    const own = worker === null || (policy === 'prefer' && meant.length === 0)
    const candidates = own ? workers.filter((candidate) => candidate.local) : meant
    const settled = candidates.filter(({ id }) => id === home)
    const free = (settled.length > 0 ? settled : candidates).filter((candidate) => candidate.hasRoomFor(demand))
    return free.toSorted((a, b) => a.load - b.load)[0] ?? null
  }

  #take(transport: EngineTransport, hello: HelloFrame, token: WorkerPrincipal | null): Seat | Promise<Seat> {
    const { resumeS = 0, kept = callsInMemory } = this.#deps
    if (token === null || resumeS === 0 || hello.resume === undefined) return this.#seat(transport, hello, token)
    const { session: asked } = hello.resume
    const calls = [...new Map(hello.resume.calls.map((mark) => [mark.call, mark])).values()]
    const known = this.#sessions.get(asked ?? '')
    if (known?.session.jti === token.jti) return this.#resume(transport, known, calls)
    if (asked === null) return this.#begin(transport, hello, token, {})
    // a worker whose link broke before it had its answer asks again: by then the session is known
    const before = this.#adopting.get(asked)
    if (before) return before.then(() => this.#take(transport, hello, token))
    const begin = (adopted: AdoptedCalls): Seat => {
      this.#adopting.delete(asked)
      return this.#begin(transport, hello, token, { asked, adopted })
    }
    const adopted = kept.adopt(asked, token.jti, calls)
    if (!(adopted instanceof Promise)) return begin(adopted)
    const seat = adopted.then(begin)
    this.#adopting.set(asked, seat)
    return seat
  }

  /** A worker whose calls end with its link. */
  #seat(transport: EngineTransport, hello: HelloFrame, token: WorkerPrincipal | null): Seat {
    const { kept = callsInMemory, resumeS = 0 } = this.#deps
    const refuse = (call: string, type: string, message: string): void =>
      void worker.receive({ type: 'error', call, error: { type, message, traceback: null } })
    const link = resumeS === 0 ? transport : notedLink(transport, kept, refuse)
    const worker = this.#worker(link, hello, token)
    this.#welcome(transport, worker, {})
    this.#enter(worker)
    return { receive: (frame) => worker.receive(frame), cut: () => this.#leave(worker) }
  }

  /** A worker that can come back to its calls, as it now may have. */
  #begin(
    transport: EngineTransport,
    hello: HelloFrame,
    token: WorkerPrincipal,
    { asked, adopted }: { readonly asked?: string; readonly adopted?: AdoptedCalls },
  ): Seat {
    const { clock, newId, resumeS = 0, kept = callsInMemory } = this.#deps
    const resumed = adopted?.resumed ?? []
    const id = asked !== undefined && resumed.length > 0 ? asked : newId()
    const marks = resumed.map(({ call, seq }) => ({ call, seq }))
    const session = new WorkerSession(
      {
        id,
        jti: token.jti,
        resumeS,
        clock,
        kept,
        adopted: marks,
        onAway: (calls) => {
          this.#tell('warning', 'worker.away', { worker: token.name, calls })
          this.#changed()
        },
        onOver: () => {
          this.#sessions.delete(id)
          this.#leave(worker)
        },
      },
      transport,
    )
    const worker = this.#worker(session, hello, token, (call) => session.ended(call))
    session.serve(worker)
    this.#sessions.set(id, { session, worker })
    const answer = adopted && { resumed: marks, dropped: [...adopted.dropped] }
    this.#welcome(transport, worker, { resume_s: this.#toldS, session: id, ...answer })
    for (const call of resumed) call.take(worker)
    this.#enter(worker)
    return seatOf(session, transport)
  }

  /** A worker is back. */
  #resume(transport: EngineTransport, { session, worker }: Returning, calls: readonly CallMark[]): Seat {
    session.resume(transport, calls, (answer) => {
      this.#tell('info', 'worker.resume', { worker: worker.hello.name, calls: answer.resumed.length })
      this.#welcome(transport, worker, { resume_s: this.#toldS, session: session.id, ...answer })
    })
    return seatOf(session, transport)
  }

  /** Seconds that a worker keeps its calls for without a link. */
  get #toldS(): number {
    const { resumeS = 0, toldResumeS = resumeS } = this.#deps
    return toldResumeS
  }

  #worker(
    link: WorkerLink,
    hello: HelloFrame,
    token: WorkerPrincipal | null,
    onEnd?: (call: string) => void,
  ): AttachedWorker {
    const { clock, newId } = this.#deps
    const worker: AttachedWorker = new AttachedWorker(link, {
      id: newId(),
      hello,
      token,
      clock,
      onChange: () => this.#changed(),
      onDropped: () => void (this.#droppedResults += 1),
      onSilent: (seconds, calls) => {
        if (token === null) return
        this.#tell('warning', 'worker.silent', { worker: token.name, lost_calls: calls })
        this.#lost(
          token.name,
          `it was silent for ${seconds} seconds during ${calls === 1 ? 'a call' : `${calls} calls`}`,
        )
      },
      onLost: ({ document, node, run }) =>
        this.#tell('warning', 'worker.lost_call', {
          worker: worker.hello.name,
          flow: document.name,
          node: node.id,
          run,
        }),
      ...(onEnd && { onEnd }),
    })
    return worker
  }

  #welcome(transport: EngineTransport, { id, hello }: AttachedWorker, resume: Partial<WelcomeFrame>): void {
    const { engineVersion, engines } = this.#deps
    transport.send({
      type: 'welcome',
      worker: id,
      name: hello.name,
      labels: hello.labels,
      protocol: WORKER_PROTOCOL,
      engine_version: engineVersion,
      runtime: null,
      heartbeat_s: HEARTBEAT_S,
      silence_s: SILENCE_S,
      url: engines?.attachUrl ?? null,
      engines: [...(engines?.attachUrls ?? [])],
      ...resume,
    })
  }

  #enter(worker: AttachedWorker): void {
    const { name, labels, version } = worker.hello
    this.#workers.set(worker.id, worker)
    this.#refused.forget(name)
    if (!worker.local) this.#tell('info', 'worker.attach', { worker: name, labels, version })
    this.#changed()
  }

  #leave(worker: AttachedWorker): void {
    if (!this.#workers.delete(worker.id)) return
    const { hello, load, local } = worker
    if (!local) this.#tell('warning', 'worker.detach', { worker: hello.name, lost_calls: load })
    if (!local && load > 0)
      this.#lost(hello.name, `it has disconnected during ${load === 1 ? 'a call' : `${load} calls`}`)
    worker.lost()
    this.#changed()
  }

  #tell(level: 'info' | 'warning', action: string, detail: Record<string, unknown>): void {
    this.#deps.report?.({ kind: 'worker', level, action, detail })
  }

  #lost(worker: string, detail: string): void {
    for (const listener of this.#mourners) listener({ worker, detail })
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

const seatOf = (session: WorkerSession, link: EngineTransport): Seat => ({
  receive: (frame, bytes) => session.receive(link, frame, bytes),
  cut: () => session.cut(link),
})
