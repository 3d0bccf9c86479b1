/** What artifacts-store.bench.ts measures around: an S3-compatible store, with one object that anybody may read. */
import { s3Servers, urlOf } from '../../test/components/s3-servers.ts'

const [s3rver] = s3Servers
const server = await s3rver?.start()
process.once('SIGTERM', () => void server?.[Symbol.asyncDispose]().then(() => process.exit()))
process.send?.({ url: urlOf(server?.port ?? 0, 'bench'), objects: `http://127.0.0.1:${server?.port}/artifacts/bench` })
