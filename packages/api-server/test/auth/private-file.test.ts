import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { readPrivateFile, writePrivateFile } from '../../src/auth/private-file.ts'

test('a private file is written whole; drafts of processes that are gone go, those of others stay [F11]', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'private-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, 'secret.key')
  const uuid = '521ca4e5-9c1e-4d6b-823f-0344bc94d570'
  const { pid: gone } = spawnSync(process.execPath, ['--version'])
  const others = [`secret.key.${process.ppid}.${uuid}`, `other.key.${gone}.${uuid}`, 'secret.key.backup']
  for (const name of [...others, `secret.key.${gone}.${uuid}`, `secret.key.${process.pid}.${uuid}`]) {
    // oxlint-disable-next-line no-await-in-loop -- five small files
    await writeFile(join(directory, name), 'half')
  }
  await writePrivateFile(path, 'whole')
  expect((await readdir(directory)).toSorted()).toEqual(['secret.key', ...others].toSorted())
  expect(await readPrivateFile(path)).toBe('whole')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})
