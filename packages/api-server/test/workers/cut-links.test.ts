/** The engine's side of a worker that can come back, and the worker's, over a line that the test cuts wherever it likes. */
import type { EngineFrame, WorkerFrame } from '@flow-service/protocol'
import type { EngineTransport } from '@flow-service/worker-agent'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { CountingCalls, type LinkConnection, type LinkEnd } from '../../../worker-agent/test/counting-calls.ts'
import { codeCall } from './code-call.ts'
import { outcome, settled, setup } from './puppet-pool.ts'

const CALLS = 4
const node = { worker: 'w', worker_policy: 'require' } as const

/** One connection: frames wait on it until they are delivered, in their order, each way by itself. */
class Line {
  readonly #toEngine: WorkerFrame[] = []
  readonly #toWorker: EngineFrame[] = []
  readonly #ended = Promise.withResolvers<LinkEnd>()
  readonly #closers: (() => void)[] = []
  #engineHears: (frame: WorkerFrame) => unknown = () => undefined
  #workerHears: (frame: EngineFrame) => void = () => undefined
  #isOpen = { engine: true, worker: true }

  readonly engine: EngineTransport
  readonly worker: LinkConnection

  constructor() {
    const isOpen = (): boolean => this.#isOpen.engine
    this.engine = {
      get isOpen() {
        return isOpen()
      },
      send: (frame) => void this.#toWorker.push(frame),
      onFrame: (listener) => (this.#engineHears = listener),
      onClose: (listener) => void this.#closers.push(listener),
      close: () => this.cut('engine'),
    }
    const none = (): Promise<never> => Promise.reject(new Error('no artifacts here'))
    this.worker = {
      send: (frame) => void this.#toEngine.push(frame),
      sendText: (text) => void this.#toEngine.push(JSON.parse(text) as WorkerFrame),
      onFrame: (listener) => (this.#workerHears = listener),
      ended: this.#ended.promise,
      artifacts: { get: none, put: none },
    }
  }

  /** Some frames arrive. */
  deliver(to: 'engine' | 'worker', count: number): void {
    for (let left = count; left > 0; left--) {
      if (to === 'engine') {
        const frame = this.#isOpen.engine ? this.#toEngine.shift() : undefined
        if (frame) this.#engineHears(structuredClone(frame))
      } else {
        const frame = this.#isOpen.worker ? this.#toWorker.shift() : undefined
        if (frame) this.#workerHears(structuredClone(frame))
      }
    }
  }

  /** One side notices that the line is broken; what is on its way there is lost. */
  cut(side: 'engine' | 'worker'): void {
    if (!this.#isOpen[side]) return
    this.#isOpen[side] = false
    if (side === 'worker') this.#ended.resolve({ kind: 'lost', detail: 'cut' })
    else for (const close of this.#closers) close()
  }
}

const count = fc.integer({ min: 1, max: 8 })
const which = fc.nat()
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('step' as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('deliver' as const), to: fc.constantFrom('engine', 'worker'), count }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('cut' as const), side: fc.constantFrom('engine', 'worker') }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('connect' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('late' as const), count }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('second' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('cancel' as const), which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('call' as const) }) },
)

test.each([
  ['that say much', 12, 200],
  ['that are over soon, and begun again and again', 1, 600],
])(
  'whichever frame of either direction a link is cut at: each of calls %s is begun once, and each of its frames counts once, in order',
  async (_, emissions, numRuns) => {
    const play = fc.asyncProperty(fc.array(action, { maxLength: 120 }), async (actions) => {
      const { pool, dispatcher, clock } = setup({ resumeS: 3600 })
      let worker = new CountingCalls(emissions)
      /** Calls of links that were lost when they had none left. */
      const before: string[] = []
      let line: Line | null = null
      /** The one before: what is on its way to the engine may still come, unless the engine has heard that it is cut. */
      let lineBefore: Line | null = null
      const connect = async (): Promise<void> => {
        line?.cut('worker')
        lineBefore = line
        await settled()
        if (worker.link.isOver) {
          before.push(...worker.begun)
          worker = new CountingCalls(emissions, worker.link.idleSession)
          isGreeted = false
        }
        line = new Line()
        pool.attach(line.engine, { kind: 'worker', jti: 'j', name: 'w', labels: [] })
        void worker.link.use(line.worker)
        if (!isGreeted) void worker.link.send(hello)
        isGreeted = true
        // the first time it is attached, so that there is something to come back to
        line.deliver('engine', 1)
        line.deliver('worker', 1)
      }
      let isGreeted = false
      await connect()
      const calls: ReturnType<typeof codeCall>[] = []
      const ends: Promise<unknown>[] = []
      const begin = (): void => {
        const call = codeCall({ node })
        calls.push(call)
        ends.push(outcome(dispatcher.call(call)))
      }
      for (let left = CALLS; left > 0; left--) begin()
      await settled()
      line = line as unknown as Line
      line.deliver('worker', CALLS)
      const cancelled = new Set<number>()
      for (const act of actions) {
        if (act.does === 'step') worker.step(act.which)
        else if (act.does === 'deliver') line.deliver(act.to as 'engine', act.count)
        else if (act.does === 'late') (lineBefore as Line | null)?.deliver('engine', act.count)
        else if (act.does === 'cut') line.cut(act.side as 'engine')
        else if (act.does === 'connect') await connect()
        else if (act.does === 'second') await clock.advance(1000)
        else if (act.does === 'call') begin()
        else {
          const chosen = act.which % calls.length
          if (!cancelled.has(chosen)) calls[chosen]?.record.cancel()
          cancelled.add(chosen)
        }
        await settled()
      }
      // all comes to its end over a last line
      await connect()
      for (let round = 0; round < 4 * calls.length * (emissions + 1); round++) {
        worker.step(round)
        line.deliver('engine', 100)
        line.deliver('worker', 100)
        if (round % 10 === 0) await settled()
      }
      line.cut('engine')
      worker.link.end()
      await settled()
      await clock.advance(3600_000)
      for (const [at, call] of calls.entries()) {
        const said = call.record.emits.map(([values]) => values['loss'])
        expect(said).toEqual(said.map((_, nth) => nth))
        const end = await ends[at]
        if (cancelled.has(at))
          expect([{ y: emissions }, expect.objectContaining({ type: 'cancelled' })]).toContainEqual(end)
        else expect([end, said.length]).toEqual([{ y: emissions }, emissions])
      }
      const begun = [...before, ...worker.begun]
      expect(new Set(begun).size).toBe(begun.length)
    })
    await fc.assert(play, { numRuns })
  },
)

const hello: WorkerFrame = {
  type: 'hello',
  protocol: 1,
  version: '1.0.0',
  name: 'w',
  labels: [],
  parallel: CALLS,
  resources: { cpus: 4, gpus: 0, ram_mb: 1000 },
  python: '3.12.0',
  platform: 'linux-x64',
}
