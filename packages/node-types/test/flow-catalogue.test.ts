import { liveFlow, t } from '@flow-service/flow-sdk'
import { nodeTypes } from '@flow-service/node-types'
import * as constructors from '@flow-service/node-types/flow'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { samples } from './samples.ts'

const typed = Object.values(samples).flatMap((each) => each.typed ?? [])

/** One node of each type, with nothing given that has a default. */
const all = liveFlow('all', { x: t.float }, ({ x }, use) => {
  for (const { place } of typed) place(x, use)
})

test('every type but those of written code has a typed constructor, whose node the type takes', () => {
  const { nodes } = normalizeDocument(all.name, flowDocumentInputSchema.parse(all.document))
  const placed = nodes.map(({ type }) => type)
  // functions are `python` and `node` of flow-sdk itself
  expect(placed.toSorted()).toEqual(nodeTypes.flatMap(({ type, code }) => (code ? [] : [type])).toSorted())
  for (const { type, settings, ports } of nodes) {
    const definition = nodeTypes.find((each) => each.type === type)
    const of = (direction: string) => ports.filter((port) => port.direction === direction)
    const parsed = definition?.settings.parse(settings) ?? {}
    const findings = definition?.check?.({
      id: 'n',
      mode: 'live',
      settings: parsed,
      inputs: of('input'),
      outputs: of('output'),
    })
    expect([type, findings ?? []]).toEqual([type, []])
  }
})

test('every constructor has its type here', () => {
  expect(new Set<unknown>(typed.map(({ by }) => by))).toEqual(new Set<unknown>(Object.values(constructors)))
})
