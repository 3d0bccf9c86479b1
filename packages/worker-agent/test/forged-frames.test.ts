import { describe, expect, test } from 'vitest'

import { bundle, type Last, python, rig } from './harness.ts'

const outcomeOf = (last: Last): unknown => (last.type === 'result' ? last.outputs : last.error.message)
const broken = expect.stringContaining('broke the protocol')

/** Frames as the runner would write them, but for what only the runner knows. */
const frames = [
  { type: 'result', outputs: { y: 666 } },
  { type: 'result', outputs: { y: 666 }, over: true },
  { type: 'error', error: { type: 'Forged', message: 'forged', traceback: null } },
  { type: 'emit', batch: [[{ loss: 666 }, 1]] },
  { type: 'loaded' },
  { type: 'save', id: 1, name: 'forged', media_type: 'text/plain' },
  { type: 'load', id: 1, digest: 'forged' },
  { type: 'result', outputs: { y: 666 }, nonce: '' },
  { type: 'unknown' },
]

/** Writes a frame to its own control channel, then goes on as if nothing had happened. */
const forgedInPython = (frame: object): string => `import os, stat, struct
def run(n):
    if n > 0: return {"y": n}
    text = ${JSON.stringify(JSON.stringify(frame))}.encode()
    for fd in range(3, 40):
        try:
            is_channel = stat.S_ISSOCK(os.fstat(fd).st_mode)
        except OSError:
            continue
        if is_channel: os.write(fd, struct.pack(">II", len(text), 0) + text)
    return {"y": n}
`
const forgedInNode = (frame: object): string => `import { writeSync } from 'node:fs'
${bundle(`({ n }) => {
  if (n > 0) return { y: n }
  const text = Buffer.from(${JSON.stringify(JSON.stringify(frame))})
  const head = Buffer.alloc(8)
  head.writeUInt32BE(text.length)
  writeSync(3, Buffer.concat([head, text]))
  return { y: n }
}`)}`

describe.skipIf(python === null)('a frame that code makes up', () => {
  test.each([
    ['Python', forgedInPython, { kind: 'python' }, frames],
    // each of them costs the start of a Node process
    ['TypeScript', forgedInNode, { kind: 'code', entry: 'entry' }, frames.slice(0, 4)],
  ] as const)('fails the %s call, and answers neither it nor the next one [T79]', async (_, forge, kind, forged) => {
    const own = rig({ python })
    for (const mode of ['live', 'batch'] as const) {
      for (const frame of forged) {
        const source = forge(frame)
        const ask = (n: number) => own.call({ ...kind, source, mode, inputs: { n } })
        expect([frame, outcomeOf(await ask(0))]).toEqual([frame, broken])
        expect([frame, outcomeOf(await ask(1)), outcomeOf(await ask(2))]).toEqual([frame, { y: 1 }, { y: 2 }])
      }
    }
    expect(own.frames.some((frame) => frame.type === 'emit')).toBe(false)
    expect(own.stored.size).toBe(0)
  })

  test('and what a TypeScript call has left running is not that of the next call', async () => {
    const own = rig({ python: null })
    const source = bundle(`({ n }, ctx) => {
      if (n === 0) setInterval(() => ctx.saveArtifact('late').catch(() => {}), 1)
      return { y: n }
    }`)
    for (let n = 0; n < 20; n += 1) {
      const last = await own.call({ kind: 'code', entry: 'entry', source, mode: 'live', inputs: { n } })
      expect(outcomeOf(last)).toEqual({ y: n })
    }
  })
})
