import vectors from '@flow-service/protocol/device-vectors.json' with { type: 'json' }
import { expect, test } from 'vitest'

import { checkOf, credentialOf, proofOf } from '../../src/devices/pairing-code.ts'

test.each(vectors.pairing)('check and credential are those of the vectors: $check [R125]', (vector) => {
  expect(checkOf(proofOf(vector.secret))).toBe(vector.check)
  expect(credentialOf(vector.secret, Buffer.from(vector.salt_hex, 'hex'))).toBe(vector.credential)
})
