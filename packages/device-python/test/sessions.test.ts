/** The sessions of the test vectors, which all SDKs are held to, played against this one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { pythons } from '../../../test/components/pythons.ts'
import { play, sessions } from '../../device-sdk/test/session-runner.ts'
import { PythonSdk } from './driver.ts'

describe.each(pythons)('with %s', (python) => {
  let sdk: PythonSdk
  beforeAll(() => void (sdk = new PythonSdk(python)))
  afterAll(() => sdk[Symbol.asyncDispose]())

  test.each(sessions)('$name', async (session) => {
    await expect(play(session, sdk.driver())).resolves.toBeUndefined()
    await sdk.end()
  })
})
