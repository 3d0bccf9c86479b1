/** The vectors that engine and SDKs share, against the codec and the schemas of this package. */
import { createHash, createHmac } from 'node:crypto'

import { expect, test } from 'vitest'

import vectors from '../device-vectors.json' with { type: 'json' }
import { decodeFrame, deviceFrameSchema, encodeFrame, pairingStartedSchema, pairingPollSchema } from '../src/index.ts'

interface FrameVector {
  readonly name: string
  readonly hex?: string
  readonly build?: {
    readonly header_text?: string
    readonly pad?: number
    readonly nest?: number
    readonly bytes: number
  }
  readonly header?: object
  readonly header_text?: string
  readonly bytes_hex?: string
  readonly fault?: string
}

/** What the codec says of each kind of fault. */
const faults = new Map([
  ['short', 'the header length alone'],
  ['length', 'it claims a header'],
  ['header', 'no JSON object in UTF-8'],
  ['large', 'at most 8388608 are taken'],
])

function frameOf({ hex, build }: FrameVector): Buffer {
  if (!build) return Buffer.from(hex ?? '', 'hex')
  const { nest = 0, header_text = `{"nest":${'['.repeat(nest)}${']'.repeat(nest)}}`, bytes } = build
  const header = Buffer.from(header_text.padEnd(build.pad ?? 0))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(header.length)
  return Buffer.concat([length, header, Buffer.alloc(bytes)])
}

test.each(vectors.frames as FrameVector[])('a binary frame with $name [R651]', (vector) => {
  const decoded = decodeFrame(frameOf(vector))
  if (vector.fault !== undefined || typeof decoded === 'string') {
    expect(decoded).toContain(faults.get(vector.fault ?? 'none') ?? 'a frame')
    return
  }
  const header = vector.header_text ?? (vector.header && JSON.stringify(vector.header))
  if (header !== undefined) expect(JSON.stringify(decoded.header)).toBe(header)
  if (vector.bytes_hex !== undefined) expect(Buffer.from(decoded.bytes).toString('hex')).toBe(vector.bytes_hex)
})

test('what is encoded is what the vectors have [R651]', () => {
  for (const { name, hex, header, bytes_hex } of vectors.frames as FrameVector[]) {
    if (hex === undefined || header === undefined) continue
    const frame = encodeFrame(header as never, Buffer.from(bytes_hex ?? '', 'hex'))
    expect([name, Buffer.from(frame).toString('hex')]).toEqual([name, hex])
  }
})

test('check and credential follow from secret and salt', () => {
  const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
  for (const { secret, check, salt_hex, credential } of vectors.pairing) {
    const [first = 0, second = 0] = createHash('sha256').update(secret).digest()
    expect(`${letters[first % letters.length]}${letters[second % letters.length]}`).toBe(check)
    expect(createHmac('sha256', secret).update(Buffer.from(salt_hex, 'hex')).digest('base64url')).toBe(credential)
  }
})

test('what sessions send is of the schemas', () => {
  const { snapshot, lamp, temp, camera, light, request, device } = vectors.fixtures
  const sent = { ...snapshot, bindings: [lamp, temp, camera], values: [light] }
  expect(deviceFrameSchema.parse(sent)).toEqual(sent)
  expect(deviceFrameSchema.parse({ type: 'value', ...light })).toEqual({ type: 'value', ...light })
  expect(pairingStartedSchema.parse(request)).toEqual(request)
  const adopted = { ...device, credential: vectors.credential }
  expect(pairingPollSchema.safeParse({ status: 'adopted', device: adopted, panel: adopted }).success).toBe(true)
})
