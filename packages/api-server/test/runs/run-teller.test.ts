import type { RunStatus, RunSummary } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { RunTeller } from '../../src/runs/run-teller.ts'

function setup() {
  const told: string[] = []
  const teller = new RunTeller((event) => {
    if (event.type === 'run') told.push(`${event.run.id} ${event.run.status}`)
  })
  const tell = (id: string, status: RunStatus): void => teller.tell({ id, status } as RunSummary, 0)
  return { told, tell, teller }
}

test('a state on its way is left out when a later one, or the same, was told meanwhile', async () => {
  const { told, tell, teller } = setup()
  await teller.learning(['a', 'b', 'c', 'd'], async () => {
    tell('a', 'cancelled')
    tell('a', 'running')
    tell('b', 'running')
    tell('b', 'running')
    tell('b', 'error')
    tell('c', 'running')
    tell('c', 'queued')
    tell('d', 'queued')
  })
  expect(told).toEqual(['a cancelled', 'b running', 'b error', 'c running', 'd queued'])
})

test('what was told before a state set out, or after it arrived, holds nothing back', async () => {
  const { told, tell, teller } = setup()
  tell('a', 'queued')
  await teller.learning(['a'], async () => tell('a', 'queued'))
  tell('a', 'running')
  expect(told).toEqual(['a queued', 'a queued', 'a running'])
})

test('a state on one way stays known while another is under way, also when the first breaks off', async () => {
  const { told, tell, teller } = setup()
  const goOn = Promise.withResolvers<void>()
  const second = teller.learning(['a'], async () => {
    await goOn.promise
    tell('a', 'queued')
  })
  const first = teller.learning(['a'], async () => {
    tell('a', 'ok')
    throw new Error('broken')
  })
  await expect(first).rejects.toThrow('broken')
  goOn.resolve()
  await second
  expect(told).toEqual(['a ok'])
})
