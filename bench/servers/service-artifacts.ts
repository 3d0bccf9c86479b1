/**
 * What artifacts.bench.ts measures: a service. Answers `peak` with the growth of its memory, in bytes, since `base`;
 * `forget` makes it believe that its files have changed.
 */
import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

import { startBenchService } from './bench-service.ts'

const SAMPLE_MS = 10
const { dataDir, baseUrl, token } = await startBenchService()
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
process.send?.({ url: `${baseUrl}/artifacts`, token })
