import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { WORKER_PROTOCOL, type WorkerFrame } from '@flow-service/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'

import { type ArtifactAccess, createWorker, memoryTransport } from '../src/index.ts'
import { digestOf } from './fake-engine.ts'
import { bundle, callFrame, type CallRequest, python, welcome } from './harness.ts'

const data = randomBytes(3_000_000)
const digest = digestOf(data)

/** A worker whose artifact is in a file that says `held`, and how it was asked for. */
function rig(held: Buffer | null) {
  const directory = mkdtempSync(join(tmpdir(), 'files-'))
  const path = join(directory, 'kept')
  if (held) writeFileSync(path, held)
  const asked: (boolean | undefined)[] = []
  const artifacts: ArtifactAccess = {
    async get(_, whole) {
      asked.push(whole)
      return whole === true ? data : { path, size: data.length }
    },
    put: () => Promise.reject(new Error('nothing is stored here')),
  }
  const { engine, worker: transport } = memoryTransport(artifacts)
  const end = Promise.withResolvers<WorkerFrame>()
  engine.onFrame((frame) => {
    if (frame.type === 'hello') engine.send({ ...welcome, protocol: WORKER_PROTOCOL })
    if (frame.type === 'result' || frame.type === 'error') end.resolve(frame)
  })
  const worker = createWorker(transport, { directory })
  onTestFinished(async () => {
    await worker.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const call = (request: CallRequest): Promise<WorkerFrame> => {
    engine.send(callFrame('c', { settings: { digest }, ...request }))
    return end.promise
  }
  return { asked, call }
}

const inPython: CallRequest = {
  source: `import hashlib
def run(digest):
    return {"y": hashlib.sha256(load_artifact(digest)).hexdigest()}
`,
}
const inTypeScript: CallRequest = {
  kind: 'code',
  entry: 'entry',
  source: `import { createHash } from 'node:crypto'
${bundle("async ({ digest }, ctx) => ({ y: createHash('sha256').update(await ctx.loadArtifact(digest)).digest('hex') })")}`,
}

describe.each<[string, CallRequest, boolean]>([
  ['Python', inPython, python === null],
  ['TypeScript', inTypeScript, false],
])('code in %s', (_, request, isAbsent) => {
  test.skipIf(isAbsent)('reads a large artifact from its file', async () => {
    const { asked, call } = rig(data)
    expect(await call(request)).toMatchObject({ type: 'result', outputs: { y: digest.slice(7) } })
    expect(asked).toEqual([false])
  })

  test.skipIf(isAbsent).each<[string, Buffer | null]>([
    ['is gone', null],
    ['is cut off', data.subarray(0, 1000)],
  ])('gets its bytes when the file %s by the time that it is read', async (__, held) => {
    const { asked, call } = rig(held)
    expect(await call(request)).toMatchObject({ type: 'result', outputs: { y: digest.slice(7) } })
    expect(asked).toEqual([false, true])
  })
})
