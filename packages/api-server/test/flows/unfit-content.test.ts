import type { FlowListItem, ValidationResult } from '@flow-service/protocol'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Engine, openEngine, relay } from './engine.ts'
import { python } from './validation.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

describe('content that does not fit any more', () => {
  /** Puts content into a row as no API would. */
  const poison = (name: string, column: 'draft' | 'published', json: string) =>
    column === 'draft'
      ? engine.database.sql`update flow set draft = ${json}::jsonb where name = ${name}`
      : engine.database.sql`update flow set published = ${json}::jsonb, draft = null where name = ${name}`

  const shapes = [
    '"text"',
    '7',
    '[]',
    '{"nodes": 3}',
    '{"nodes": [null]}',
    '{"nodes": {"library": "x"}}',
    '{"mode": "cron"}',
  ]
  test.each(shapes)('is one issue of its flow: %s [F60]', async (json) => {
    for (const column of ['draft', 'published'] as const) {
      const name = `poisoned-${v7()}`
      await engine.publish(name, relay)
      await poison(name, column, json)
      const { status, value } = await engine.ann('GET', `/flows/${name}`)
      expect(status).toBe(200)
      expect(value.issues).toMatchObject([{ severity: 'error', message: expect.stringMatching(/save the flow anew/) }])
      const checked = await engine.ann<ValidationResult>('POST', `/flows/${name}/validate`)
      expect(checked.value).toMatchObject({ valid: false, issues: value.issues })
      const list = await engine.ann<FlowListItem[]>('GET', '/flows/')
      expect(list.value.find((item) => item.name === name)?.issues.error).toBeGreaterThan(0)
      expect((await engine.ann('GET', '/flows/library')).status).toBe(200)
      expect((await engine.root('GET', `/flows/${name}/nodes/pass/source`)).status).toBe(404)
      const repaired = await engine.root('PUT', `/flows/${name}`, { ...relay, version: value.version })
      expect(repaired.value.issues).toEqual([])
    }
  })

  test('keeps no engine from starting and no other flow from working [F60, R036]', async () => {
    const first = await openEngine()
    for (const name of ['sound', 'shapeless', 'typeless', 'unset', 'doubled', 'orphaned', 'orphaned-draft']) {
      await first.publish(name, relay)
      await first.root('POST', `/flows/${name}/start`)
    }
    const publish = (name: string, content: unknown) =>
      first.database.sql`update flow set published = ${JSON.stringify(content)}::jsonb where name = ${name}`
    const [node] = relay.nodes ?? []
    await publish('shapeless', { nodes: 'none' })
    await publish('typeless', { nodes: [{ id: 'n', type: 'gone' }] })
    await publish('unset', { nodes: [{ ...node, settings: { scale: 'x' } }] })
    await publish('doubled', { ...relay, nodes: [node, node] })
    await publish('orphaned', { nodes: [python(null, { library: 'gone' })] })
    const draft = JSON.stringify({ nodes: [python(null, { library: 'gone' })] })
    await first.database.sql`update flow set draft = ${draft}::jsonb where name = 'orphaned-draft'`
    await first.close()

    await using second = await openEngine({ dataDir: first.dataDir })
    const { value } = await second.ann<FlowListItem[]>('GET', '/flows/')
    const stateOf = new Map(value.map(({ name, status, issues }) => [name, { status, broken: issues.error > 0 }]))
    expect(stateOf.get('sound')).toEqual({ status: 'active', broken: false })
    expect(stateOf.get('orphaned-draft')).toEqual({ status: 'active', broken: true })
    for (const name of ['shapeless', 'typeless', 'unset'])
      expect(stateOf.get(name)).toEqual({ status: 'failed', broken: true })
    for (const name of ['doubled', 'orphaned']) expect(stateOf.get(name)).toMatchObject({ broken: true })
    const codes = await Promise.all(
      ['typeless', 'unset', 'doubled', 'orphaned', 'orphaned-draft'].map(async (name) => {
        const checked = await second.ann<ValidationResult>('POST', `/flows/${name}/validate`)
        return checked.value.issues.filter(({ severity }) => severity === 'error').map(({ code }) => code)
      }),
    )
    expect(codes).toEqual([
      ['unknown_type'],
      ['bad_setting'],
      ['duplicate_node_id'],
      ['unknown_library'],
      ['unknown_library'],
    ])
    second.runtime.publish('sound.on', 3)
    await expect.poll(() => second.lastValues.get('sound.off')?.value).toBe(3)
    const start = await second.root('POST', '/flows/typeless/start')
    expect(start.problem).toMatchObject({ status: 422, code: 'flow_invalid', errors: [{ code: 'unknown_type' }] })
    expect((await second.root('DELETE', '/flows/shapeless')).status).toBe(204)
  })
})
