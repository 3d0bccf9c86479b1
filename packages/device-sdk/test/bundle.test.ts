/** What a board or a page loads. */
import { join } from 'node:path'

import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

test('the SDK is small, and brings no schema library', async () => {
  const build = await rolldown({
    input: join(import.meta.dirname, '../src/index.ts'),
    external: ['ws'],
    platform: 'browser',
    resolve: { conditionNames: ['@flow-service/source', 'import'] },
  })
  const { output } = await build.generate({ minify: true })
  await build.close()
  const [{ code, moduleIds, imports }] = output
  expect(imports).toEqual(['ws'])
  expect(moduleIds.filter((id) => !/packages\/(device-sdk\/src|protocol\/src\/binary-frame)/.test(id))).toEqual([])
  expect(code.length).toBeLessThan(24 * 1024)
})
