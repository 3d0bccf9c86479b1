import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { runService } from './cli-process.ts'
import { publishFlow, scaleFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
  await publishFlow(at.client, 'scale', scaleFlow)
})
afterAll(() => at[Symbol.asyncDispose]())

const service = (...words: string[]) =>
  runService(['dashboards', ...words], { cwd: at.dataDir, env: { SERVICE_DATA_DIR: at.dataDir } })

const content = {
  widgets: [
    { id: 'temp', type: 'gauge', x: 0, y: 0, w: 3, h: 2, binding: { message: 'hall.temp' } },
    { id: 'note', type: 'text', title: 'Note', x: 3, y: 0, w: 3, h: 2, options: { markdown: '# Hall' } },
  ],
}

test('the results of a flow are listed and shown', async () => {
  expect((await service('list')).out).toBe('No dashboards yet.\n')
  expect(await service('from-flow', 'scale')).toMatchObject({
    code: 0,
    out: 'made scale_results, version 1 of the results of scale\n',
  })
  expect((await service('list')).out).toMatch(
    /NAME +VERSION +ORIGIN .*\nscale_results +1 +api +- .*Results of scale\n$/,
  )
  const { out } = await service('show', 'scale_results')
  expect(out).toContain('scale_results, version 1: Results of scale')
  expect(out).toMatch(/result-1 +value +0,0 3x2 +scale\.scaled/)
  expect(await service('from-flow', 'scale')).toMatchObject({ code: 1, err: expect.stringContaining('already') })
})

test('what is exported is imported again, under another name too, and what it names in vain is told', async () => {
  const file = join(at.dataDir, 'hall.json')
  await writeFile(file, JSON.stringify({ title: 'Hall', content }))
  const imported = await service('import', 'hall', file)
  expect(imported).toMatchObject({
    code: 0,
    out: expect.stringContaining('saved the draft of hall, version 1, 1 warning'),
  })
  expect(imported.out).toContain('no published flow has the message "hall.temp"')
  expect(await service('publish', 'hall', '--version', '2')).toMatchObject({ code: 1 })
  expect((await service('publish', 'hall')).out).toBe('published hall, version 1\n')
  const { out: text } = await service('export', 'hall')
  await writeFile(file, text)
  expect((await service('import', 'copy', file, '--publish')).out).toContain('saved and published copy, version 1')
  expect(JSON.parse((await service('export', 'copy', '--published')).out)).toEqual(JSON.parse(text))
  expect((await service('import', 'copy', file, '--version', '9')).err).toContain('version 1 now')
  expect((await service('delete', 'copy', '--json')).out).toBe('{\n  "deleted": "copy"\n}\n')
  expect((await service('list')).out).not.toContain('copy')
  expect(await readFile(file, 'utf8')).toBe(text)
})

test.each([[[]], [{}], [{ widgets: [] }], [{ title: 'Hall', name: 'hall' }], [3]])(
  'a file that holds no dashboard is refused with what it has to be: %j',
  async (value) => {
    const file = join(at.dataDir, 'other.json')
    await writeFile(file, JSON.stringify(value))
    expect(await service('import', 'other', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('has to be a JSON object with "title" and "content", and no more'),
    })
  },
)
