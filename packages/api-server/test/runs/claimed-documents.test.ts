import type { FlowDocument } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { ClaimedDocuments } from '../../src/runs/claimed-documents.ts'
import { openEngine } from './engine.ts'
import { scaled } from './flows.ts'

/** A document of so many nodes. */
const of = (nodes: number) => ({ nodes: Array.from({ length: nodes }) }) as unknown as FlowDocument

/** A run as a claim gives it. */
const claimed = (digest: string | null, document: FlowDocument | null = null) => ({ digest, document })

describe('documents of claimed runs', () => {
  test('are one for all runs of a digest, in a claim and in those after it', () => {
    const documents = new ClaimedDocuments()
    const first = [claimed('a', of(1)), claimed('a', of(1)), claimed('b', of(2)), claimed(null)]
    documents.complete(first, documents.known())
    expect(first[1]?.document).toBe(first[0]?.document)
    expect(first[3]?.document).toBeNull()
    const known = documents.known()
    expect([...known.keys()]).toEqual(['a', 'b'])
    const second = [claimed('b')]
    documents.complete(second, known)
    expect(second[0]?.document).toBe(first[2]?.document)
    expect([...documents.known().keys()]).toEqual(['a', 'b'])
    documents.complete([claimed('a')], documents.known())
    expect([...documents.known().keys()]).toEqual(['b', 'a'])
  })

  test('are kept as they were known when the claim was sent, whatever has come since', () => {
    const documents = new ClaimedDocuments()
    documents.complete([claimed('a', of(1))], documents.known())
    const known = documents.known()
    for (let at = 0; at < 40; at++) documents.complete([claimed(`other ${at}`, of(1))], documents.known())
    expect(documents.known().has('a')).toBe(false)
    const late = claimed('a')
    documents.complete([late], known)
    expect(late.document).toBe(known.get('a'))
  })
})

test('a run executes what was published when it was submitted, also after other documents of its flow', async () => {
  await using engine = await openEngine()
  const results: unknown[] = []
  for (const scale of [2, 3, 2, 3]) {
    await engine.publish('scaled', scaled(scale))
    for (let at = 0; at < 2; at++) {
      const { id } = await engine.submit('scaled', { params: { x: 10 } })
      results.push((await engine.finished(id)).result)
    }
  }
  expect(results).toEqual([20, 20, 30, 30, 20, 20, 30, 30].map((y) => ({ y })))
})
