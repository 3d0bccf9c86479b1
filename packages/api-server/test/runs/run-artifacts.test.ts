import { randomBytes } from 'node:crypto'

import { MAX_STORED_VALUE_BYTES } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import type { TestEngine } from './engine.ts'
import { node, output } from './flows.ts'
import { useEngine } from './use-engine.ts'

const never = new AbortController().signal
let engine: TestEngine
useEngine({}, (opened) => {
  engine = opened
})

/** Lets all bytes be older than any grace, and sweeps. */
async function sweepAll(): Promise<void> {
  await engine.database.sql`update blob set touched_at = now() - interval '2 hours'`
  await engine.artifacts.sweep(never)
}
const store = async (name: string) =>
  (await engine.artifacts.put(randomBytes(40), { name, mediaType: 'text/plain', volatile: false })).ref

test('bytes that a node stores are held by the run from then on, whether it returns them or not [R098]', async () => {
  await engine.publish('saver', { outputs: [{ name: 'file' }], nodes: [node('save', [output('file', 'artifact')])] })
  const stored = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  engine.code['save'] = async (call) => {
    const [side, main] = [await store('side.txt'), await store('main.txt')]
    call.onArtifact?.(side)
    call.onArtifact?.(main)
    stored.resolve()
    await goOn.promise
    return { file: main }
  }
  const { id } = await engine.submit('saver')
  await stored.promise
  // a read writes what has gathered
  const running = await engine.runs.get(id)
  expect(running.artifacts.map(({ name, port }) => [name, port])).toEqual([
    ['side.txt', null],
    ['main.txt', null],
  ])
  await sweepAll()
  goOn.resolve()
  const { artifacts } = await engine.finished(id)
  expect(artifacts.map(({ name, port, node: from }) => [name, port, from])).toEqual([
    ['side.txt', null, 'save'],
    ['main.txt', 'file', 'save'],
  ])
  await sweepAll()
  const digests = artifacts.map(({ digest }) => digest)
  expect(await engine.artifacts.known(digests)).toEqual(new Set(digests))
})

test('a result that is too large for its row becomes bytes that the run holds [R113]', async () => {
  await engine.publish('large', { outputs: [{ name: 'text' }], nodes: [node('write', [output('text', 'str')])] })
  const text = 'x'.repeat(MAX_STORED_VALUE_BYTES)
  engine.code['write'] = async () => ({ text })
  const { result } = await engine.finished((await engine.submit('large')).id)
  const { digest, media_type } = (result ?? {})['text'] as { digest: string; media_type: string }
  await sweepAll()
  expect(media_type).toBe('application/json')
  expect(JSON.parse(Buffer.from(await engine.artifacts.read(digest)).toString())).toBe(text)
})

test('bytes of an input are held by the run, and cannot be deleted [R529]', async () => {
  const ref = await store('in.txt')
  await engine.publish('reader', {
    inputs: [{ name: 'file', dtype: 'artifact' }],
    outputs: [],
    nodes: [node('read', [{ direction: 'input', name: 'file', dtype: 'artifact' }])],
  })
  engine.code['read'] = async () => ({})
  const { id } = await engine.submit('reader', { params: { file: ref } })
  await engine.finished(id)
  await sweepAll()
  await expect(engine.artifacts.delete(ref.digest, async () => undefined)).rejects.toMatchObject({
    code: 'in_use',
    extensions: { used_by: [{ kind: 'run', id }] },
  })
})
