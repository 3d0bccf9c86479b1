/**
 * What artifacts-store.bench.ts measures: a service whose artifacts are in the store of its argument. Answers `peak` with the
 * growth of its memory, in bytes, since `base`.
 */
import { credentials } from '../../test/components/s3-servers.ts'
import { startBenchService } from './bench-service.ts'

const SAMPLE_MS = 10
const [artifactsUrl = ''] = process.argv.slice(2)
const { baseUrl, token } = await startBenchService(undefined, [], { artifactsUrl, ...credentials })
let [base, peak] = [0, 0]
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), SAMPLE_MS)
process.on('message', (order: 'base' | 'peak') => {
  if (order === 'base') base = peak = process.memoryUsage.rss()
  process.send?.(peak - base)
})
process.send?.({ url: `${baseUrl}/artifacts`, token })
