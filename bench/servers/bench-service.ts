/** A service that a benchmark measures: in a directory of its own, on a free port, until SIGTERM. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService, type ServiceConfig } from '@flow-service/api-server'

export async function startBenchService(
  flows?: ServiceConfig['flows'],
  connectors: NonNullable<ServiceConfig['connectors']> = [],
  config: ServiceConfig = {},
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-service-'))
  const quiet = { port: 0, environment: 'local', logLevel: 'silent' } as const
  const service = await createService({
    dataDir,
    ...quiet,
    ...config,
    connectors,
    ...(flows === undefined ? {} : { flows }),
  })
  const { baseUrl, origin } = await service.listen()
  const stop = async (): Promise<void> => {
    await service.close()
    rmSync(dataDir, { recursive: true, force: true })
    process.exit()
  }
  process.once('SIGTERM', () => void stop())
  return { dataDir, baseUrl, origin, token: await service.superuserToken() }
}
