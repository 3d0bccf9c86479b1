import vectors from '@flow-service/protocol/device-vectors.json' with { type: 'json' }
import { expect, test } from 'vitest'

import { Uplink } from '../../src/devices/sockets/uplink.ts'
import { camera } from './sockets.ts'

const short = vectors.frames.filter((vector) => vector.hex !== undefined)

test.each(short)(
  'of the vectors, a frame with $name is taken or dropped [R660, R662, T51]',
  async ({ hex, uplink }) => {
    const dropped: object[] = []
    const stored: string[] = []
    const picture = new Uplink('panel', {
      log: { warn: (fields) => void dropped.push(fields) },
      artifacts: {
        put: async (bytes, { name }) => {
          stored.push(Buffer.from(bytes as Uint8Array).toString('hex'))
          return { ref: { digest: '', name, media_type: '', size: 0, volatile: true }, created: true }
        },
      },
      publishing: { targets: () => [camera()], publish: async () => [{} as never] },
    })
    picture.take(Buffer.from(hex as string, 'hex'))
    await expect.poll(() => stored.length + dropped.length).toBe(1)
    expect([stored.length, dropped.length]).toEqual(uplink === true ? [1, 0] : [0, 1])
  },
)
