/** What worker-sweep.bench.ts measures: a service with so many places of its own, which tells what it has used. */
import { startBenchService } from './bench-service.ts'
import { cpuNow } from './usage.ts'

const places = Number(process.argv[2])
const { baseUrl, token } = await startBenchService(undefined, [], { maxRuns: places, maxProcesses: places })
process.on('message', () => process.send?.(cpuNow()))
process.send?.({ baseUrl, token })
