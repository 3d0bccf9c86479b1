import { forgetKeys as forget } from '@flow-service/api-server'

import { plainly } from '../failure.ts'

/** `service signing-keys forget`. */
export async function forgetKeys(): Promise<void> {
  await plainly(() => forget())
  console.log('The next engine that starts gives the database its session key and its signing key.')
}
