import { expect, test } from 'vitest'

import { pythons } from '../../../test/components/pythons.ts'
import { printed } from './python.ts'

test.each(pythons)(
  '100,000 damaged byte strings end in a message or a refusal, and take no memory with %s',
  async (python) => {
    const told = await printed(python, 'test/fuzz.py')
    console.log(`${python}: ${told.trim()}`)
    expect(told).toMatch(/^seed \d+\n100000 byte strings, \d+ of them sound; 20000 frames; \d+ KiB more\n$/)
  },
  600_000,
)
