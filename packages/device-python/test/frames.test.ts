import { execFileSync } from 'node:child_process'

import { expect, test } from 'vitest'

import { pythons } from '../../../test/components/pythons.ts'
import vectors from '../../protocol/device-vectors.json' with { type: 'json' }
import { environment, home } from './python.ts'

const written = vectors.frames.filter(
  ({ hex, header, bytes_hex }) => hex !== undefined && header && bytes_hex !== undefined,
)

test.each(pythons)('frames are written as the vectors have them, with %s [R651, R659]', (python) => {
  const options = { cwd: home, env: environment, input: JSON.stringify(written), encoding: 'utf8' } as const
  const hex = execFileSync(python, ['test/frames.py'], options).trimEnd().split('\n')
  expect(hex.length).toBeGreaterThan(5)
  expect(hex).toEqual(written.map((vector) => vector.hex))
})
