import { expect, test } from 'vitest'

import { loadCommandsPackage } from '../src/commands-package.ts'
import { CommandFailure } from '../src/failure.ts'

const missing = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from here`), { code: 'ERR_MODULE_NOT_FOUND' })

test('a package that is not installed is told with how to install it', async () => {
  const loading = loadCommandsPackage(() => Promise.reject(missing('@flow-service/commands-lm')))
  await expect(loading).rejects.toEqual(
    new CommandFailure(
      1,
      'the package @flow-service/commands-lm is not installed: npm install @flow-service/commands-lm',
    ),
  )
})

test('what is wrong within the package is told as it is', async () => {
  await expect(loadCommandsPackage(() => Promise.reject(missing('zod')))).rejects.toThrow("'zod'")
  expect(await loadCommandsPackage()).toHaveProperty('explain')
})
