/**
 * What the engine adds to a stage that does nothing, beside the bare start of its language's process: on a spare that
 * is ready, on the warm process of a live node, on calls that follow each other at once (the spare may not be ready),
 * and for each stage of a chain in a run.
 */
import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { openEngine, type TestEngine } from '../packages/api-server/test/runs/engine.ts'
import { input, node, output } from '../packages/api-server/test/runs/flows.ts'
import { findPython, type Interpreter } from '../packages/worker-agent/src/index.ts'
import { bundle, openRig } from '../packages/worker-agent/test/harness.ts'

const CALLS = 40
const STAGES = 20
/** A spare is ready after so many starts of a bare process, on a busy machine too. */
const SPARE_STARTS = { Python: 1, TypeScript: 6 }

const python = { source: 'def run(): pass\n' } as const
const typescript = { source: bundle('() => ({})'), kind: 'code', entry: 'entry' } as const
const run = promisify(execFile)

let interpreter: Interpreter
let engine: TestEngine
beforeAll(async () => {
  const found = await findPython(process.env)
  if (!found) throw new Error('this benchmark needs Python >= 3.11')
  interpreter = found
  engine = await openEngine({ agent: true })
  for (const count of [1, STAGES]) await engine.publish(`chain${count}`, chain(count))
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN

async function times(count: number, work: () => Promise<unknown>, pauseMs = 0): Promise<number[]> {
  const found: number[] = []
  for (let at = 0; at < count; at += 1) {
    if (pauseMs > 0) await pause(pauseMs)
    const start = performance.now()
    await work()
    found.push(performance.now() - start)
  }
  return found
}

/** Python stages that each wait for the one before. */
function chain(count: number) {
  const link = (at: number) =>
    node(`n${at}`, [...(at > 0 ? [input(`y${at - 1}`)] : []), output(`y${at}`)], {
      cache: false,
      source: `def run(**inputs):\n    return {"y${at}": 1}\n`,
    })
  return { mode: 'batch' as const, nodes: Array.from({ length: count }, (_, at) => link(at)) }
}

const tell = (name: string, found: readonly number[]): string =>
  `${name}: p50 ${quantile(found, 0.5).toFixed(2)}, p95 ${quantile(found, 0.95).toFixed(2)} ms`

test('a stage costs little beside the start of a process', async () => {
  const rig = openRig({ python: interpreter.path, warm: true })
  await rig.worker.ready
  const bare = {
    Python: await times(10, () => run(interpreter.path, ['-c', 'pass'])),
    TypeScript: await times(10, () => run(process.execPath, ['--eval', '0'])),
  }
  for (const [language, request] of [
    ['Python', python],
    ['TypeScript', typescript],
  ] as const) {
    const call = () => rig.call(request)
    await times(10, call)
    const pauseMs = SPARE_STARTS[language] * quantile(bare[language], 0.5)
    const spare = await times(CALLS, call, pauseMs)
    const warm = await times(CALLS, () => rig.call({ ...request, mode: 'live' }), pauseMs)
    const burst = await times(CALLS, call)
    console.log(
      [
        tell(`${language} with a spare`, spare),
        tell('a warm live node', warm),
        tell('one after the other', burst),
        tell('bare start', bare[language]),
      ].join('; '),
    )
    expect(quantile(spare, 0.5) / quantile(bare[language], 0.5)).toBeLessThan(0.5)
  }
  await rig.close()
})

test('a stage of a chain costs little beside the start of a process', async () => {
  const whole = (flow: string) => async () => {
    const { id } = await engine.submit(flow)
    await engine.event((event) => event.type === 'run' && event.run.id === id && event.run.status === 'ok')
    engine.events.length = 0
  }
  const bare = quantile(await times(10, () => run(interpreter.path, ['-c', 'pass'])), 0.5)
  await times(5, whole('chain1'))
  const one = quantile(await times(20, whole('chain1')), 0.5)
  const all = quantile(await times(20, whole(`chain${STAGES}`)), 0.5)
  const stage = (all - one) / (STAGES - 1)
  console.log(`each further stage of a chain: ${stage.toFixed(2)} ms; bare start of Python ${bare.toFixed(2)} ms`)
  expect(stage / bare).toBeLessThan(1)
})
