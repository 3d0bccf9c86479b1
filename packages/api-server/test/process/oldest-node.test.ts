import { describe, expect, test } from 'vitest'

import { assertNode } from '../../src/process/oldest-node.ts'

describe('an engine', () => {
  test.each(['18.20.8', '20.20.2', '22.9.0', '22.18.9'])('says in one sentence that Node %s is too old', (version) => {
    expect(() => assertNode('>=22.19', version)).toThrow(
      `flow-service needs Node 22.19 or newer, and this is Node ${version}`,
    )
  })

  test.each(['22.19.0', '22.23.1', '24.0.0', '26.10.0', process.versions.node])('runs on Node %s', (version) => {
    expect(() => assertNode('>=22.19', version)).not.toThrow()
  })
})
