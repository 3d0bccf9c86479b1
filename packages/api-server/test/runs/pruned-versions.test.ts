/** What a run executed is there for as long as the run is, whether or not the flow still keeps that version (wire decisions V14, V23). */
import type { FlowDocument, FlowVersion } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { resolveConfig } from '../../src/config.ts'
import { relay } from '../flows/engine.ts'
import { startService, type TestService } from '../observability/service.ts'

const KEPT = 2
let at: TestService
beforeAll(async () => {
  at = await startService({ flowVersions: KEPT })
})
afterAll(() => at[Symbol.asyncDispose]())

const scaled = (scale: number) => ({
  ...relay,
  mode: 'batch' as const,
  outputs: [{ name: 'off' }],
  nodes: relay.nodes?.map((node) => ({ ...node, settings: { scale } })) ?? [],
})
const publish = async (scale: number): Promise<number> => {
  const version = (await at.root<{ version?: number }>('GET', '/flows/grown')).value.version ?? null
  const saved = await at.root<{ version: number }>('PUT', '/flows/grown', {
    ...scaled(scale),
    ...(version && { version }),
  })
  const published = await at.root('POST', '/flows/grown/publish', { version: saved.value.version })
  expect(published.status).toBe(200)
  return saved.value.version
}
const scaleOf = ({ nodes }: FlowDocument): unknown => nodes[0]?.settings['scale']

test('of more versions than are kept the oldest are let go, and the documents of runs stay', async () => {
  const made: { readonly version: number; readonly run: string }[] = []
  for (const scale of [1, 2, 3, 4])
    // oxlint-disable-next-line no-await-in-loop -- one version after the other
    made.push({ version: await publish(scale), run: await at.run('grown', { on: 1 }) })
  const { value: versions } = await at.ann<FlowVersion[]>('GET', '/flows/grown/versions')
  const kept = made.slice(-KEPT).toReversed()
  expect(versions).toMatchObject(kept.map(({ version }) => ({ version, runs: 1 })))
  const gone = await at.ann('GET', `/flows/grown/versions/${made[0]?.version}`)
  expect([gone.status, gone.problem.code]).toEqual([404, 'not_found'])
  for (const path of ['diff', `diff?to=${made[1]?.version}`])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect((await at.ann('GET', `/flows/grown/versions/${made[0]?.version}/${path}`)).status).toBe(404)
  const documents = await Promise.all(made.map(({ run }) => at.ann<FlowDocument>('GET', `/runs/${run}/document`)))
  expect(documents.map(({ status, value }) => [status, scaleOf(value)])).toEqual(
    [1, 2, 3, 4].map((scale) => [200, scale]),
  )
})

test('a hundred are kept unless the service is set to keep more or fewer', () => {
  expect(resolveConfig({ environment: 'local' }).flowVersions).toBe(100)
  expect(resolveConfig({ environment: 'local' }, { SERVICE_FLOW_VERSIONS: '7' }).flowVersions).toBe(7)
})
