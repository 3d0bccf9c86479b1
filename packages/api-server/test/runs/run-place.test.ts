import type { BatchEvent } from '@flow-service/core'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { RunPlace } from '../../src/runs/run-place.ts'
import { node } from './flows.ts'

test('a run waits for an attached worker also while others of its nodes wait for the slots that are taken so', () => {
  const nodes = [node('far', [], { worker: 'gpu' }), node('near', [])]
  const document = normalizeDocument('f', flowDocumentInputSchema.parse({ mode: 'batch', nodes }))
  const heard: boolean[] = []
  const place = new RunPlace(document, (isWaiting) => heard.push(isWaiting))
  const tell = (id: string, more: Partial<BatchEvent>): void =>
    place.observe({ kind: 'node', node: id, atMs: 0, ...more } as BatchEvent)
  tell('near', { status: 'queued', waitingFor: 'process', inLine: true })
  tell('far', { status: 'running' })
  tell('far', { status: 'queued', waitingFor: 'gpu' })
  expect(heard).toEqual([true])
})

test('a node that waits for the same stage of another run gives up its place only if it needs an attached worker', () => {
  const waiting = { hit: false, key: 'k', why: ['waits'] }
  const changes = (worker: string | null): boolean[] => {
    const nodes = [node('a', [], { worker })]
    const document = normalizeDocument('f', flowDocumentInputSchema.parse({ mode: 'batch', nodes }))
    const heard: boolean[] = []
    const place = new RunPlace(document, (isWaiting) => heard.push(isWaiting))
    const tell = (more: Partial<BatchEvent>): void =>
      place.observe({ kind: 'node', node: 'a', status: 'pending', atMs: 0, ...more } as BatchEvent)
    tell({ cache: waiting })
    tell({ status: 'ok' })
    return heard
  }
  expect(changes('gpu')).toEqual([true, false])
  expect(changes(null)).toEqual([])
})
