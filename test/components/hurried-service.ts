/**
 * `service serve` with provisioners that look at their clusters twenty times as often as usual: port and data directory are
 * its arguments.
 * @module
 */
import { startEngine, untilStopped } from '../../packages/cli/src/engine.ts'

const [port, data = ''] = process.argv.slice(2)
const engine = await startEngine({ port: Number(port), data }, { provisioningPace: 20 })
console.log(`flow-service listens at ${engine.baseUrl}`)
await untilStopped(engine, () => {})
process.exit()
