import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, type Service } from '@flow-service/api-server'
import { batchFlow, input, stage, stream, t } from '@flow-service/flow-sdk'
import { expect, test } from 'vitest'
import { createClient } from '../src/index.ts'

const gate = Promise.withResolvers<void>()
const hold = stage('hold', { in: { n: t.float }, out: { y: t.float, level: stream(t.int), other: stream(t.int) }, async *run({ n }) {
  yield { level: 1 }
  await gate.promise; return { y: n } } })
const holding = batchFlow('holding', { n: input(t.float, 8) }, (p, use) => use(hold, p))
test('rename', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'client-'))
  const service: Service = await createService({ dataDir, port: 0, environment: 'local', logLevel: 'silent', flows: [holding] })
  const { baseUrl } = await service.listen()
  const token = await service.superuserToken()
  const client = createClient({ baseUrl, token })
  await client.flows.duplicate({ name: 'holding', new_name: 'a1' } as never).catch((e) => console.log('dup', e.problem))
  console.log((await client.flows.list()).map((f: any) => f.name))
  await client.flows.publish({ name: 'a1' } as never).catch((e) => console.log('pub', e.problem))
  const run = await client.runs.submit({ name: 'a1' } as never)
  await expect.poll(async () => (await client.runs.get({ id: run.id })).status).toBe('running')
  const frames: string[] = []
  void (async () => { for await (const f of client.events({ flows: ['a1'] })) frames.push(JSON.stringify(f).slice(0, 300)) })()
  const waiting = client.wait(run.id)
  const points = (async () => { const r=[]; for await (const p of (client as any).constructor && metrics(client, run.id)) r.push(p); return r })
  await new Promise((r) => setTimeout(r, 500))
  await client.flows.rename({ name: 'a1', body: { name: 'a2' }, new_name: 'a2' } as never).catch(async (e) => { console.log('ren', e.problem); })
  await new Promise((r) => setTimeout(r, 300))
  gate.resolve()
  const out = await Promise.race([waiting, new Promise((r) => setTimeout(() => r('HANGS'), 5000))])
  console.log('RESULT', typeof out === 'string' ? out : (out as any).status, (await client.runs.get({ id: run.id })).status)
  console.log(frames.join('\n'))
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
})
async function* metrics(_c: unknown, _id: string) {}
