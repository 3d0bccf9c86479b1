/** Uploads a CSV file, has a flow of Python and TypeScript stages turn it into a chart, and changes one parameter. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'

import { readings } from './flows/readings.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'pipeline-'))
const flows = fileURLToPath(new URL('./flows', import.meta.url))
const service = await createService({ dataDir, port: 0, logLevel: 'warn', environment: 'local', flows })
try {
  const { baseUrl } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })

  const lines = Array.from({ length: 7 * 24 }, (_, hour) => {
    const at = new Date(Date.UTC(2026, 6, 1, hour)).toISOString().slice(0, 19)
    return `${at},${(20 + Math.floor(hour / 24) + 6 * Math.sin((hour * Math.PI) / 12)).toFixed(2)}`
  })
  const text = ['time,celsius', ...lines, 'no reading'].join('\n')
  const raw = await client.upload(text, { name: 'readings.csv', mediaType: 'text/csv' })

  const run = await client.submit(readings, { params: { raw } })
  const { picture, hot, dropped } = await run.result()
  assert.equal(dropped, 2)
  assert.deepEqual(hot, ['2026-07-06', '2026-07-07'])
  const svg = (await client.artifacts.get(picture.digest, { parseAs: 'text' })) as unknown as string
  assert.equal(svg.split('<rect').length - 1, 7)

  // another limit: only the last stage is executed, the rest comes from the cache
  const stricter = await client.submit(readings, { params: { raw, limit: 28.5 } })
  const record = await stricter.wait()
  assert.deepEqual(Object.fromEntries(record.nodes.map(({ node, cached }) => [node, cached])), {
    clean: true,
    daily: true,
    chart: true,
    warnings: false,
  })
  assert.equal((await stricter.result()).hot.length, 4)
  assert.match(record.nodes.find(({ node }) => node === 'warnings')?.cache?.why.join() ?? '', /limit: 30 -> 28.5/)
  console.log(`pipeline: ${hot.length} hot days in ${lines.length} readings, ${dropped} lines dropped`)
} finally {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
