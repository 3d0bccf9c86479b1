/** What run-flood.bench.ts measures: a service as it is without settings, on the database of its argument or the embedded one. */
import { startBenchService } from './bench-service.ts'

const [databaseUrl] = process.argv.slice(2)
const { baseUrl, token } = await startBenchService(undefined, [], databaseUrl === undefined ? {} : { databaseUrl })
process.send?.({ baseUrl, token })
