/** The sessions of the test vectors, played against this SDK. */
import { expect, test } from 'vitest'

import { SdkDriver } from './sdk-driver.ts'
import { play, sessions } from './session-runner.ts'

test.each(sessions)('$name', async (session) => {
  await expect(play(session, new SdkDriver())).resolves.toBeUndefined()
})
