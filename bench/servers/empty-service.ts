/** A service without flows of its own, for growth.bench.ts, which saves long ones. */
import { startBenchService } from './bench-service.ts'

process.send?.(await startBenchService())
