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
        if is_channel: os.write(fd, struct.pack(">4sII", b"\\xfffs\\x01", len(text), 0) + text)
    return {"y": n}
`
const forgedInNode = (frame: object): string => `import { writeSync } from 'node:fs'
${bundle(`({ n }) => {
  if (n > 0) return { y: n }
  const text = Buffer.from(${JSON.stringify(JSON.stringify(frame))})
  const head = Buffer.from([0xff, 0x66, 0x73, 1, 0, 0, 0, 0, 0, 0, 0, 0])
  head.writeUInt32BE(text.length, 4)
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

describe.skipIf(python === null)('junk that code writes to its descriptors', () => {
  const waits = 'await new Promise(() => setInterval(() => {}, 1000))'
  const inNode = (fd: number, junk: string): string => `import { writeSync } from 'node:fs'
${bundle(`async ({ n }) => { if (n > 0) return { y: n }; writeSync(${fd}, Buffer.from('${junk}', 'hex')); ${waits} }`)}`
  const inPython = (junk: string): string => `import os, stat, time
def run(n):
    if n > 0: return {"y": n}
    for fd in range(3, 40):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode): os.write(fd, bytes.fromhex("${junk}"))
        except OSError:
            continue
    while True: time.sleep(1)
`
  /** A letter; what looks like the lengths of a frame that is never complete; and the beginning of a mark. */
  const junk = ['78', '0000100000000000', 'ff00']
  const wrote = expect.stringMatching(/^the process ended: it wrote /)

  test('fails the TypeScript call at once, on whichever of them, and leaves the next one its place', async () => {
    const own = rig({ python: null })
    for (const [fd, bytes] of [...junk.map((each) => [3, each] as const), [4, '78'] as const, [5, '78'] as const]) {
      const ask = (n: number) =>
        own.call({ kind: 'code', entry: 'entry', source: inNode(fd, bytes), mode: 'live', inputs: { n } })
      expect([fd, bytes, outcomeOf(await ask(0))]).toEqual([fd, bytes, wrote])
      expect(outcomeOf(await ask(1))).toEqual({ y: 1 })
    }
  })

  test.each([true, false])('fails the Python call at once (fork: %s)', async (fork) => {
    const own = rig({ python, fork })
    for (const bytes of junk) {
      const ask = (n: number) => own.call({ kind: 'python', source: inPython(bytes), mode: 'live', inputs: { n } })
      expect([bytes, outcomeOf(await ask(0))]).toEqual([bytes, wrote])
      expect(outcomeOf(await ask(1))).toEqual({ y: 1 })
    }
  })
})
