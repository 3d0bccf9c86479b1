import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

import { expect, test } from 'vitest'

import { forTerminal } from '../src/output.ts'

test('a terminal gets no control character, however the bytes are cut, and every line', async () => {
  const bytes = Buffer.from('id,näme\r\n1,"\u001b[2Jgone\u202e"\r\n2,\r3\r')
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    )
    // oxlint-disable-next-line no-await-in-loop -- each way to cut the bytes
    expect(await text(Readable.from(chunks).pipe(forTerminal()))).toBe(
      'id,näme\n1,"\\u001b[2Jgone\\u202e"\n2,\\u000d3\\u000d',
    )
  }
})
