import { ConfigError, forgetKeys as forget } from '@flow-service/api-server'

import { CommandFailure } from '../failure.ts'

/** `service signing-keys forget`. */
export async function forgetKeys(): Promise<void> {
  await forget().catch((error: unknown) => {
    throw error instanceof ConfigError ? new CommandFailure(2, error.message) : error
  })
  console.log('The next engine that starts gives the database its session key and its signing key.')
}
