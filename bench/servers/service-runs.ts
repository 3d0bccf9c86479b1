/** What run-http.bench.ts measures: a service with the trivial flows, its code in child processes. */
import { join } from 'node:path'

import { startBenchService } from './bench-service.ts'

const { baseUrl, token } = await startBenchService(join(import.meta.dirname, '..', 'flows'))
process.send?.({ baseUrl, token })
