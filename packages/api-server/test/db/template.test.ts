import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { createDataDirectory } from '../../src/db/template.ts'

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'flow-service-template-'))
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

test('a damaged copy of the empty database is made again, and kept', async () => {
  const copy = path.join(directory, 'copy.tar.zst')
  fs.writeFileSync(copy, 'damaged')
  await createDataDirectory(path.join(directory, 'first'), copy)
  const made = fs.statSync(copy)
  await createDataDirectory(path.join(directory, 'second'), copy)
  expect(fs.statSync(copy).mtimeMs).toBe(made.mtimeMs)
  const files = (name: string): string[] => fs.readdirSync(path.join(directory, name), { recursive: true }).map(String)
  expect(files('first').toSorted()).toEqual(files('second').toSorted())
  expect(files('second')).toContain('PG_VERSION')
}, 120_000)
