import { expect, test } from 'vitest'

import { createProject } from '../src/index.ts'
import { MadeFolder } from './made-folder.ts'

test('a project that was made compiles, lints and passes its tests', { timeout: 180_000 }, async () => {
  using made = new MadeFolder()
  createProject({ dir: made.folder, name: '@me/flows' })
  made.link('flow-sdk', 'node-types', 'testing')
  expect(await made.check()).toBe(4)
})
