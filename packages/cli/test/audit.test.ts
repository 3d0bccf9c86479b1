import { expect, test } from 'vitest'

import { whoOf } from '../src/commands/audit.ts'

const actor = { id: '', email: 'anna@example.org', name: null }

test.each([
  [{ ...actor, via: 'session' as const }, 'anna@example.org'],
  [{ ...actor, via: 'key' as const, name: 'ci' }, 'key ci of anna@example.org'],
  [{ ...actor, via: 'mcp' as const, name: 'helper' }, 'agent helper of anna@example.org'],
  [{ ...actor, via: 'cli' as const }, 'anna@example.org at the machine'],
  [{ ...actor, via: 'key' as const, name: 'a\u001b[2J\nb' }, String.raw`key a\u001b[2J b of anna@example.org`],
  [null, 'the engine'],
])('%j is told as "%s"', (who, words) => {
  expect(whoOf(who)).toBe(words)
})
