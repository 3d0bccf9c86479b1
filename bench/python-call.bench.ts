/**
 * What the engine's side and the runner add to a call of a warm Python node: 1 KB there and back, one call at a time, beside a
 * bare Python process that echoes frames of the same size on a socket. And 1 MB there and back: as an array of numpy through
 * artifacts, and as a list of as many bytes in JSON. The sides alternate; medians are compared.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'

import { expect, onTestFinished, test } from 'vitest'

import { createWorker, memoryTransport } from '../packages/worker-agent/src/index.ts'
import { callFrame, welcome } from '../packages/worker-agent/test/harness.ts'
import { pythonWith } from '../test/components/python-packages.ts'

const ROUNDS = 15
const CALLS = 200
const TRANSFERS = 10
const LISTS = 3
const FRAME = 1024
const HEADER = 4

const found = pythonWith('numpy')
if (found === null) throw new Error('this benchmark needs a Python with numpy')
const python = found

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** The median of the milliseconds that each of so many calls takes. */
async function times(count: number, call: () => Promise<unknown>): Promise<number> {
  const taken: number[] = []
  for (let at = 0; at < count; at++) {
    const begun = performance.now()
    await call()
    taken.push(performance.now() - begun)
  }
  return median(taken)
}

/** Asks a process that echoes frames, one at a time. */
async function openEcho(): Promise<(frame: Buffer) => Promise<Buffer>> {
  const script = fileURLToPath(new URL('servers/frame-echo.py', import.meta.url))
  const child = spawn(python, ['-I', script], { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] })
  const socket = child.stdio[3] as Duplex
  onTestFinished(async () => {
    const exit = once(child, 'exit')
    socket.end()
    await exit
  })
  let chunks: Buffer[] = []
  let missing = 0
  let answer: PromiseWithResolvers<Buffer> | null = null
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    missing -= chunk.length
    if (missing > 0) return
    answer?.resolve(chunks.length === 1 ? chunk : Buffer.concat(chunks))
    chunks = []
  })
  return (frame) => {
    const header = Buffer.alloc(HEADER)
    header.writeUInt32BE(frame.length)
    missing = HEADER + frame.length
    answer = Promise.withResolvers()
    socket.write(Buffer.concat([header, frame]))
    return answer.promise
  }
}

/** What calls a live node by its name and source, with a value for its port `x`, and settles with that of its port `y`. */
type Call = (node: string, source: string, dtype: 'any' | 'artifact') => (x: unknown) => Promise<unknown>

/** A worker, and what calls its live nodes as an engine in the same process does. */
async function openWorker(): Promise<Call> {
  const stored = new Map<string, Uint8Array>()
  const { engine, worker: transport } = memoryTransport({
    get: async (digest) => stored.get(digest) ?? Promise.reject(new Error(`there is no artifact ${digest}`)),
    async put(data, { name, mediaType, volatile }) {
      const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`
      stored.set(digest, data)
      return { digest, name, media_type: mediaType, size: data.byteLength, volatile }
    },
  })
  let answer: PromiseWithResolvers<unknown> | null = null
  engine.onFrame((frame) => {
    if (frame.type === 'hello') engine.send(welcome)
    else if (frame.type === 'result') answer?.resolve(frame.outputs['y'])
    else if (frame.type === 'error') answer?.reject(new Error(frame.error.message))
  })
  const worker = createWorker(transport, { python })
  onTestFinished(() => worker.close())
  await worker.ready
  let calls = 0
  return (node, source, dtype) => {
    const outputs = [{ port: 'y', dtype, stream: false }]
    const request = callFrame('', { source, node, mode: 'live', inputs: { x: null }, outputs })
    return (x) => {
      answer = Promise.withResolvers()
      calls += 1
      engine.send({ ...request, call: String(calls), inputs: { x } })
      return answer.promise
    }
  }
}

test('a warm call costs a few echoes of its size, and a megabyte goes faster as an array than in JSON', async () => {
  const worker = await openWorker()
  const echo = await openEcho()
  const same = worker('same', 'def run(x):\n    return {"y": x}\n', 'any')
  const array = worker('array', 'import numpy\ndef run(x):\n    return {"y": to_numpy(x)}\n', 'artifact')
  const text = 'x'.repeat(FRAME)
  const frame = Buffer.from(text)
  expect(await same(text)).toBe(text)
  expect((await echo(frame)).subarray(HEADER)).toEqual(frame)
  const make = worker('make', 'import numpy as np\ndef run(x):\n    return {"y": np.arange(x) % 251}\n', 'artifact')
  const ref = await make(131_072)
  expect(ref).toMatchObject({ size: 2 ** 20 + 128 })
  expect(await array(ref)).toMatchObject({ digest: (ref as { digest: string }).digest })
  const list = Array.from({ length: 2 ** 18 }, (_, index) => index % 251)
  expect(await same(list)).toEqual(list)

  const small: Record<'bare' | 'warm', number[]> = { bare: [], warm: [] }
  const large: Record<'bare' | 'array' | 'json', number[]> = { bare: [], array: [], json: [] }
  const megabyte = Buffer.alloc(2 ** 20)
  for (let round = 0; round <= ROUNDS; round++) {
    const calls = { bare: await times(CALLS, () => echo(frame)), warm: await times(CALLS, () => same(text)) }
    const transfers = {
      bare: await times(TRANSFERS, () => echo(megabyte)),
      array: await times(TRANSFERS, () => array(ref)),
      json: await times(LISTS, () => same(list)),
    }
    // the first round warms up
    if (round === 0) continue
    for (const side of ['bare', 'warm'] as const) small[side].push(calls[side])
    for (const side of ['bare', 'array', 'json'] as const) large[side].push(transfers[side])
  }
  const ratio = median(small.warm) / median(small.bare)
  console.log(
    `1 KB: warm call ${median(small.warm).toFixed(3)} ms, bare echo ${median(small.bare).toFixed(3)} (${ratio.toFixed(2)}); ` +
      `1 MB: array ${median(large.array).toFixed(2)} ms, bare echo ${median(large.bare).toFixed(2)}, JSON ${median(large.json).toFixed(1)}`,
  )
  expect(ratio).toBeLessThan(8)
  expect(median(large.array) / median(large.json)).toBeLessThan(0.2)
})
