import { randomBytes } from 'node:crypto'

import { type ArtifactRef, type FlowDocumentInput, MAX_STORED_VALUE_BYTES } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { openEngine, type TestEngine } from './engine.ts'
import { input, node, output } from './flows.ts'
import { listed } from './listed.ts'
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
  expect(media_type).toBe('application/vnd.flow-service.value+json')
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

const reading = (): FlowDocumentInput => ({
  inputs: [{ name: 'file', dtype: 'artifact' }],
  outputs: [],
  nodes: [node('read', [input('file', 'artifact')], { cache: false })],
})
const forget = (digest: string): Promise<unknown> =>
  engine.artifacts
    .delete(digest, async () => undefined)
    .then(
      () => 'deleted',
      (error: { code: string }) => error.code,
    )
const codeOf = (error: { code: string }): string => error.code

test('a run, a sweep or a plan with bytes that are not stored is refused by its place; frames may be gone [T64]', async () => {
  await engine.publish('strict', reading())
  engine.code['read'] = async () => ({})
  const [there, gone] = [await store('there.txt'), await store('gone.txt')]
  expect(await forget(gone.digest)).toBe('deleted')
  const entries = { runs: [{ file: there }, { file: gone }], draft: false, no_cache: false, priority: 0 }
  const before = (await listed(engine.runs, {}, { limit: 500, offset: 0 })).length
  for (const [ask, path] of [
    [() => engine.submit('strict', { params: { file: gone } }), '/params/file'],
    [() => engine.runs.sweep('strict', entries, null), '/runs/1/file'],
    [() => engine.runs.plan('strict', { params: { file: gone }, draft: false, no_cache: false }), '/params/file'],
    [() => engine.runs.plan('strict', { runs: entries.runs, draft: false, no_cache: false }), '/runs/1/file'],
  ] as const) {
    await expect(ask()).rejects.toMatchObject({
      code: 'validation_failed',
      extensions: { errors: [{ path, code: 'missing_artifact' }] },
    })
  }
  expect(await listed(engine.runs, {}, { limit: 500, offset: 0 })).toHaveLength(before)
  // what was refused holds nothing
  expect(await forget(there.digest)).toBe('deleted')
  await engine.finished((await engine.submit('strict', { params: { file: { ...gone, volatile: true } } })).id)
})

test('a plan with stored bytes only reads: a full disk is no hindrance', async () => {
  await using own = await openEngine({ closed: true })
  await own.publish('strict', reading())
  const { ref: file } = await own.artifacts.put(randomBytes(40), {
    name: 'a',
    mediaType: 'text/plain',
    volatile: false,
  })
  await own.database.sql`set default_transaction_read_only = on`
  expect(await own.runs.plan('strict', { params: { file }, draft: false, no_cache: false })).toMatchObject({ runs: 1 })
  await own.database.sql`set default_transaction_read_only = off`
})

const RACES = process.env['SOAK'] === undefined ? 100 : 500

test(`of ${RACES} runs that start while their bytes are deleted none refers to bytes that are gone [T64]`, async () => {
  await engine.publish('racing', reading())
  engine.code['read'] = async () => ({})
  const refs = await Promise.all(Array.from({ length: RACES }, (_, at) => store(`${at}.txt`)))
  const submit = (file: (typeof refs)[number]) =>
    engine.submit('racing', { params: { file } }).then(({ id }) => id, codeOf)
  const races = refs.map(async (ref, at) => {
    const early = at % 2 ? forget(ref.digest) : null
    const run = submit(ref)
    return [ref.digest, await run, await (early ?? forget(ref.digest))] as const
  })
  const ends = await Promise.all(races)
  const known = await engine.artifacts.known(refs.map(({ digest }) => digest))
  for (const [digest, run, deletion] of ends) {
    // one of the two wins
    expect([digest, deletion, run === 'validation_failed', known.has(digest)]).toEqual(
      deletion === 'deleted' ? [digest, 'deleted', true, false] : [digest, 'in_use', false, true],
    )
  }
  expect(new Set(ends.map(([, , deletion]) => deletion))).toEqual(new Set(['deleted', 'in_use']))
  await engine.settle()
})

test('bytes of a cached stage are held by a run from the moment that it takes them over [T64]', async () => {
  await engine.publish('cached', {
    outputs: [{ name: 'file' }],
    nodes: [
      node('make', [output('file', 'artifact')], { source: 'def run(): return {"file": make()}' }),
      node('after', [input('file', 'artifact'), output('end')], { cache: false }),
    ],
  })
  const data = randomBytes(40)
  const executed: string[] = []
  engine.code['make'] = async ({ run }) => {
    executed.push(run ?? '')
    return { file: (await engine.artifacts.put(data, { name: '', mediaType: 'text/plain', volatile: false })).ref }
  }
  engine.code['after'] = async () => ({ end: 1 })
  const first = await engine.finished((await engine.submit('cached')).id)
  const { digest } = (first.result ?? {})['file'] as { digest: string }
  await engine.runs.history.delete(first.id)

  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  engine.code['after'] = async () => {
    begun.resolve()
    await goOn.promise
    return { end: 1 }
  }
  const { id } = await engine.submit('cached')
  await begun.promise
  expect(await forget(digest)).toBe('in_use')
  goOn.resolve()
  expect(await engine.finished(id)).toMatchObject({
    status: 'ok',
    nodes: [{ cached: true }, {}],
    result: { file: { digest } },
  })

  await engine.runs.history.delete(id)
  expect(await forget(digest)).toBe('deleted')
  // nobody is left, and the bytes are gone: the stage is executed again
  const again = await engine.finished((await engine.submit('cached')).id)
  expect(again.nodes[0]).toMatchObject({ cached: false, cache: { why: ['an artifact of it is gone'] } })
  expect(executed).toEqual([first.id, again.id])
})

const forged = (more: Partial<ArtifactRef> = {}): ArtifactRef => ({
  digest: `sha256:${'0'.repeat(64)}`,
  name: 'none',
  media_type: 'text/plain',
  size: 3,
  volatile: false,
  ...more,
})

test.each([
  ['returns a reference to bytes that nobody stored', forged()],
  ['returns a volatile reference to bytes that never were here', forged({ volatile: true })],
])('a node that %s fails, and says which', async (_, ref) => {
  engine.code['forge'] = async () => ({ file: ref })
  await engine.publish('forged', { nodes: [node('forge', [output('file', 'artifact')], { cache: false })] })
  const { nodes } = await engine.finished((await engine.submit('forged')).id)
  expect(nodes[0]).toMatchObject({
    status: 'error',
    error: {
      type: 'missing_artifact',
      message: `output "file" refers to an artifact ${ref.digest} that is not stored; give what save_artifact() answers`,
    },
  })
})

const streaming = { ...output('file', 'artifact'), stream: true }
const emitting = (run: string | undefined) => (event: { type: string; run?: unknown }) =>
  event.type === 'value' && event.run === run

test('a node that streams a reference without bytes is stopped, and nothing of it is told from there on', async () => {
  const there = await store('there.txt')
  const stopped = Promise.withResolvers<void>()
  engine.code['forge'] = (call) => {
    for (const file of [there, forged(), there]) call.onEmit({ file }, Date.now())
    call.signal.addEventListener('abort', () => stopped.resolve())
    return new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(new Error('stopped'))))
  }
  await engine.publish('forged', { nodes: [node('forge', [streaming], { cache: false })] })
  const { id } = await engine.submit('forged')
  const { nodes } = await engine.finished(id)
  await stopped.promise
  expect(nodes[0]).toMatchObject({
    status: 'error',
    error: { type: 'missing_artifact', message: expect.stringContaining('output "file"') },
  })
  expect(engine.events.filter(emitting(id))).toMatchObject([{ value: there }])
})

test('emissions keep their order behind one that is looked at; frames that newer ones pushed out are no fault', async () => {
  const there = await store('there.txt')
  const frame = forged({ digest: `sha256:${'f'.repeat(64)}`, volatile: true })
  engine.code['stream'] = async (call) => {
    call.onArtifact?.(frame)
    for (const file of [frame, there, frame]) call.onEmit({ file }, Date.now())
    return { file: frame }
  }
  await engine.publish('streamed', { nodes: [node('stream', [streaming], { cache: false })] })
  const { id } = await engine.submit('streamed')
  expect(await engine.finished(id)).toMatchObject({ status: 'ok' })
  const told = engine.events.flatMap((event) => (event.type === 'value' && event.run === id ? [event.value] : []))
  expect(told).toEqual([frame, there, frame, frame])
})
