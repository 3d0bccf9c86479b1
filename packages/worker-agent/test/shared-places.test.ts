import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import type { Places } from '../src/agent.ts'
import { SharedPlaces } from '../src/remote/shared-places.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const resources = { cpus: 4, gpus: 1, ram_mb: 1000 }
const none = { cpus: 0, gpus: 0, ram_mb: 0 }

/** An engine, and how many calls of others it was told of, word by word. */
function engineOf(places: SharedPlaces): Places & { readonly told: number[] } {
  const told: number[] = []
  const engine = places.open()
  engine.listen(({ calls }) => void told.push(calls))
  return Object.assign(engine, { told })
}

describe('places of several engines', () => {
  test('are taken by one engine as it likes while it is alone (shared-places.S1)', () => {
    const places = new SharedPlaces({ parallel: 1, resources })
    const [a, b] = [engineOf(places), engineOf(places)]
    expect([a.take('1', none), a.take('2', { ...none, cpus: 9 })]).toEqual([true, true])
    expect([b.take('3', none), b.told, a.told]).toEqual([false, [1, 2], []])
  })

  test('are no more than there are, in calls and in amounts (shared-places.S1)', () => {
    const places = new SharedPlaces({ parallel: 3, resources })
    const [a, b] = [engineOf(places), engineOf(places)]
    expect(a.take('1', { ...none, gpus: 1 })).toBe(true)
    expect([b.take('2', { ...none, gpus: 1 }), b.take('3', { ...none, cpus: 4 })]).toEqual([false, true])
    expect([a.take('4', { ...none, cpus: 0.1 }), a.take('5', none), a.take('6', none)]).toEqual([false, true, false])
  })

  test('are kept for who has got a call back, and are not free for who has just ended one (shared-places.S2, S4)', () => {
    const places = new SharedPlaces({ parallel: 1, resources })
    const [a, b] = [engineOf(places), engineOf(places)]
    a.take('1', none)
    expect(b.take('2', none)).toBe(false)
    a.free('1')
    expect([a.told, b.told]).toEqual([[1], [1, 0]])
    expect(a.take('3', none)).toBe(false)
    expect(b.take('2', none)).toBe(true)
    b.free('2')
    expect([a.told, b.told.at(-1), a.take('3', none)]).toEqual([[1, 0], 1, true])
  })

  test('are kept for a second (shared-places.S3)', () => {
    const places = new SharedPlaces({ parallel: 1, resources })
    const [a, b] = [engineOf(places), engineOf(places)]
    a.take('1', none)
    b.take('2', none)
    b.take('3', none)
    a.free('1')
    vi.advanceTimersByTime(1000)
    expect([a.told, a.take('4', none)]).toEqual([[1, 0], true])
    a.free('4')
    // it is owed nothing more
    expect(a.take('5', none)).toBe(true)
  })

  test('of an engine that is gone are taken until its calls are over', () => {
    const places = new SharedPlaces({ parallel: 1, resources })
    const [a, b] = [engineOf(places), engineOf(places)]
    a.take('1', none)
    expect(b.take('2', none)).toBe(false)
    a.end()
    expect(b.take('2', none)).toBe(false)
    a.free('1')
    expect(b.take('2', none)).toBe(true)
  })
})

/** What the model of an engine knows of the machine; frames take their time both ways. */
class Model {
  readonly queue: string[] = []
  readonly running = new Set<string>()
  others = 0
  hasRefused = false
  isDead = false
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('submit'), engine: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('finish'), engine: fc.nat(2) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('deliver'), engine: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill'), engine: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), engine: fc.integer({ min: 1, max: 1500 }) }) },
)

test('whatever engines send, and whenever they die, no call is executed twice or lost, and no place is taken twice', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 120 }), (parallel, program) => {
      const places = new SharedPlaces({ parallel, resources })
      const begun = new Map<string, number>()
      const atWork = new Set<string>()
      let calls = 0
      const engines = [0, 1, 2].map(() => {
        const model = new Model()
        const toWorker: (() => void)[] = []
        const toEngine: (() => void)[] = []
        const here = places.open()
        here.listen(({ calls: others }) =>
          toEngine.push(() => {
            model.others = others
            model.hasRefused = false
          }),
        )
        const place = (): void => {
          while (!model.isDead && !model.hasRefused && model.running.size + model.others < parallel) {
            const call = model.queue.shift()
            if (call === undefined) return
            model.running.add(call)
            toWorker.push(() => begin(call))
          }
        }
        const begin = (call: string): void => {
          const isTaken = here.take(call, none)
          if (isTaken) begun.set(call, (begun.get(call) ?? 0) + 1)
          if (isTaken) atWork.add(call)
          else {
            toEngine.push(() => {
              model.running.delete(call)
              model.hasRefused = true
              model.queue.unshift(call)
            })
          }
        }
        const finish = (): void => {
          const call = [...model.running].find((running) => atWork.has(running))
          if (call === undefined) return
          atWork.delete(call)
          here.free(call)
          toEngine.push(() => void model.running.delete(call))
        }
        const deliver = (): void => {
          if (model.isDead) return
          toWorker.shift()?.()
          toEngine.shift()?.()
          place()
        }
        const kill = (): void => {
          model.isDead = true
          toWorker.length = 0
          for (const call of model.running) if (atWork.delete(call)) here.free(call)
          here.end()
        }
        const isQuiet = (): boolean => toWorker.length + toEngine.length === 0
        return { model, place, finish, deliver, kill, isQuiet }
      })
      const check = (): void => {
        const sharing = engines.filter(({ model }) => [...model.running].some((call) => atWork.has(call)))
        if (sharing.length > 1) expect(atWork.size).toBeLessThanOrEqual(parallel)
        expect(Math.max(0, ...begun.values())).toBeLessThanOrEqual(1)
      }
      for (const { do: what, engine: at } of program) {
        const engine = engines[at]
        if (what === 'submit' && engine && !engine.model.isDead) engine.model.queue.push(`call-${(calls += 1)}`)
        if (what === 'submit') engine?.place()
        if (what === 'finish' && engine && !engine.model.isDead) engine.finish()
        if (what === 'deliver') engine?.deliver()
        if (what === 'kill' && engine && !engine.model.isDead && at > 0) engine.kill()
        if (what === 'wait') vi.advanceTimersByTime(at)
        check()
      }
      // time goes on, and all calls of engines that live get their turn
      const alive = engines.filter(({ model }) => !model.isDead)
      for (let round = 0; round < 40 * (calls + 1); round += 1) {
        for (const engine of alive) {
          engine.deliver()
          engine.finish()
          check()
        }
        vi.advanceTimersByTime(100)
      }
      for (const { model, isQuiet } of alive)
        expect([model.queue, [...model.running], isQuiet()]).toEqual([[], [], true])
    }),
    { numRuns: 300 },
  )
})
