/**
 * What artifacts.bench.ts measures: a service. Answers `peak` with the growth of its memory, in bytes, since `base`;
 * `forget` makes it believe that its files have changed.
 */
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'

const SAMPLE_MS = 10
const dataDir = mkdtempSync(join(tmpdir(), 'bench-artifacts-'))
const service = await createService({ dataDir, port: 0, environment: 'local', logLevel: 'silent' })
const { baseUrl } = await service.listen()
let [base, peak] = [0, 0]
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), SAMPLE_MS)
function forget(): void {
  const root = join(dataDir, 'artifacts', 'sha256')
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (statSync(join(root, name)).isFile()) utimesSync(join(root, name), new Date(), new Date())
  }
}
process.on('message', (order: 'base' | 'peak' | 'forget') => {
  if (order === 'base') base = peak = process.memoryUsage.rss()
  if (order === 'forget') forget()
  process.send?.(peak - base)
})
async function stop(): Promise<void> {
  await service.close()
  rmSync(dataDir, { recursive: true, force: true })
  process.exit()
}
process.once('SIGTERM', () => void stop())
process.send?.({ url: `${baseUrl}/artifacts`, token: await service.superuserToken() })
