/**
 * `service serve` with provisioners that look at their clusters twenty times as often as usual: port and data directory are
 * its arguments.
 * @module
 */
import { once } from 'node:events'

import { createService } from '@flow-service/api-server'

const [port, dataDir = ''] = process.argv.slice(2)
const service = await createService({ port: Number(port), dataDir, guardProcess: true, provisioningPace: 20 })
const { baseUrl } = await service.listen()
console.log(`flow-service listens at ${baseUrl}`)
await once(process, 'SIGTERM')
await service.close()
process.exit()
