/** What run-http.bench.ts measures: a service with the trivial flows, its code in child processes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'

const dataDir = mkdtempSync(join(tmpdir(), 'bench-runs-'))
const flows = join(import.meta.dirname, '..', 'flows')
const service = await createService({ dataDir, port: 0, environment: 'local', logLevel: 'silent', flows })
const { baseUrl } = await service.listen()
async function stop(): Promise<void> {
  await service.close()
  rmSync(dataDir, { recursive: true, force: true })
  process.exit()
}
process.once('SIGTERM', () => void stop())
process.send?.({ baseUrl, token: await service.superuserToken() })
