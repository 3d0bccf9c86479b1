/** Stored values in frames: what workers of each version get, and what is believed of their results (V15). */
import { type CodeCall, StoredValue } from '@flow-service/core'
import { VirtualClock } from '@flow-service/core/testing'
import { STORED_VALUE_TYPE, type EngineFrame } from '@flow-service/protocol'
import { memoryTransport, type EngineTransport } from '@flow-service/worker-agent'
import { expect, test } from 'vitest'

import { createDispatcher } from '../../src/workers/dispatch.ts'
import { WorkerPool } from '../../src/workers/pool.ts'
import { codeCall } from './code-call.ts'
import { outcome, settled } from './puppet-pool.ts'

const ref = {
  digest: `sha256:${'1'.repeat(64)}`,
  name: 'x.json',
  media_type: STORED_VALUE_TYPE,
  size: 7,
  volatile: false,
}
const x = new StoredValue(ref, 'array')

/** A pool with one worker, which says hello with these members; `bytes` are those of the value. */
function setup(hello: object, bytes: Uint8Array | null = Buffer.from('[1,"ä"]')) {
  const clock = new VirtualClock(0)
  const pool = new WorkerPool({ clock, newId: () => 'id', engineVersion: '1.0.0' })
  const load = (digest: string) =>
    bytes && digest === ref.digest ? Promise.resolve(bytes) : Promise.reject(new Error(`there is no ${digest}`))
  const flavors = { get: () => undefined, onChange: () => () => {} }
  const dispatcher = createDispatcher({ pool, bundleOf: async () => '', inProcess: () => null, flavors, load })
  const none = (): Promise<never> => Promise.reject(new Error('nothing'))
  const { worker, engine }: { worker: ReturnType<typeof memoryTransport>['worker']; engine: EngineTransport } =
    memoryTransport({ get: none, put: none })
  const frames: EngineFrame[] = []
  worker.onFrame((frame) => void frames.push(frame))
  pool.attach(engine, null)
  const resources = { cpus: 1, gpus: 0, ram_mb: 1 }
  const about = { version: '1', name: 'engine', labels: [], parallel: 2, resources, python: null, platform: 'x' }
  void worker.send({ type: 'hello', protocol: 1, ...about, ...hello })
  const begin = (call: CodeCall) => outcome(dispatcher.call(call))
  const sent = () => frames.find((frame) => frame.type === 'call')
  return { worker, begin, sent }
}

test('a worker that knows stored values gets references, and its results are believed where there is one', async () => {
  const { worker, begin, sent } = setup({ stores: true })
  const call = { ...codeCall({}), inputs: { x, n: 1 }, storesOutputs: true }
  const done = begin(call)
  await settled()
  const frame = sent()
  expect(JSON.parse(JSON.stringify(frame))).toMatchObject({
    inputs: { x: ref, n: 1 },
    stored_inputs: ['x'],
    store_over: 262_144,
  })
  const stored = { y: 'array', z: 'object', gone: 'string' } as const
  void worker.send({ type: 'result', call: call.id, outputs: { y: ref, z: { some: 'value' }, own: ref }, stored })
  expect(await done).toEqual({ y: new StoredValue(ref, 'array'), z: { some: 'value' }, own: ref })
})

test('a worker of before gets the value itself, and the call fails where that is gone', async () => {
  const older = setup({})
  void older.begin({ ...codeCall({}), inputs: { x, n: 1 } })
  await settled()
  await settled()
  expect(older.sent()).toMatchObject({ inputs: { x: [1, 'ä'], n: 1 } })
  expect(older.sent()).not.toHaveProperty('stored_inputs')
  const { begin, sent } = setup({}, null)
  expect(await begin({ ...codeCall({}), inputs: { x } })).toMatchObject({ type: 'missing_artifact' })
  expect(sent()).toBeUndefined()
})
