/** The page of the frames of devices: its script and its program run here, and its bytes are those of the vectors. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

import { deviceFrameSchema, devicePublishSchema } from '@flow-service/protocol'
import vectors from '@flow-service/protocol/device-vectors.json' with { type: 'json' }
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { pythons } from '../components/pythons.ts'
import { pairDevice } from '../device-client.ts'
import { publish, startService, type TestService } from '../service.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs-site/src/content/docs/guide/device-frames.mdx'), 'utf8')

/** Sixteen bytes a line, with what of them is readable. */
function hexdump(bytes: Buffer): string {
  const lines = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, at) => {
    const part = bytes.subarray(at * 16, at * 16 + 16)
    const pairs = [...part].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = [...part].map((byte) => (byte > 31 && byte < 127 ? String.fromCodePoint(byte) : '.')).join('')
    return `${(at * 16).toString(16).padStart(4, '0')}  ${pairs.padEnd(47)}  ${text}`
  })
  return `${lines.join('\n')}\n`
}

test('the dumped picture is that of the vectors [R651, R659]', () => {
  const picture = vectors.frames.find(({ name }) => name === 'a picture of a device')
  expect(page).toContain(hexdump(Buffer.from(picture?.hex ?? '', 'hex')))
})

test('the masked publication is what its text says', () => {
  const [, text = '', dump = ''] = /title="one publication"\n(.+)\n\n([\s\S]+?)```/.exec(page) ?? []
  expect(devicePublishSchema.parse(JSON.parse(text))).toEqual(JSON.parse(text))
  const mask = [0x12, 0x34, 0x56, 0x78]
  const masked = Buffer.from(text).map((byte, at) => byte ^ (mask[at % 4] ?? 0))
  expect(dump).toBe(hexdump(Buffer.from([0x81, 0x80 | text.length, ...mask, ...masked])))
})

test('every frame that is shown is one', () => {
  const shown = [...page.matchAll(/^```json\n([\s\S]+?)```/gm)].map(
    ([, text = '']) => JSON.parse(text) as { type: string },
  )
  for (const frame of shown) {
    const schema = frame.type === 'publish' ? devicePublishSchema : deviceFrameSchema
    expect(schema.parse(frame)).toEqual(frame)
  }
  expect(new Set(shown.map(({ type }) => type))).toEqual(
    new Set(['snapshot', 'value', 'demand', 'published', 'error', 'publish']),
  )
})

describe('at a service', () => {
  let at: TestService
  beforeAll(async () => {
    at = await startService({ trustProxy: 1 })
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test('the script pairs a board, and prints what the page says', async () => {
    const script = join(import.meta.dirname, 'device-pairing.sh')
    const { stdout } = await promisify(execFile)('sh', [script, at.baseUrl], {
      env: { ...process.env, TOKEN: at.token },
    })
    const said = [...readFileSync(script, 'utf8').matchAll(/^#> (.*)$/gm)].map(([, line = '']) => line)
    const [first, ...lines] = stdout.trimEnd().split('\n')
    expect(first).toMatch(/^code [A-Z2-9]{8}, check [A-Z2-9]{2}$/)
    expect(lines).toEqual(said)
  })

  test.each(pythons)('the program of a small board does its part, with %s', async (python) => {
    const id = `small_${pythons.indexOf(python)}`
    const credential = await pairDevice(at, id)
    const celsius = { direction: 'output', name: 'celsius', port: 'celsius', dtype: 'float' }
    const lamp = { direction: 'input', name: 'lamp', port: 'lamp', dtype: 'bool' }
    const board = { id: 'board', type: 'device', settings: { device: id }, ports: [celsius, lamp] }
    await publish(at, id, { mode: 'live', inputs: [{ name: 'lamp', dtype: 'bool' }], nodes: [board] })
    await at.send('POST', `/flows/${id}/start`)
    const { hostname, port } = new URL(at.baseUrl)
    const child = spawn(python, ['-u', join(import.meta.dirname, 'device-board.py'), hostname, port, credential])
    const exited = once(child, 'close')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await exited
    })
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    const history = async () => (await at.send('GET', `/messages/${id}.celsius/history`)).body
    await expect.poll(history).toContainEqual(expect.objectContaining({ value: 21.5 }))
    await at.send('POST', `/messages/${id}.lamp`, { value: true })
    await expect.poll(() => lines).toContain('lamp True')
    await at.send('POST', `/devices/${id}/unpair`)
    await exited
    expect(lines.at(-1)).toBe('unpaired')
  })
})
