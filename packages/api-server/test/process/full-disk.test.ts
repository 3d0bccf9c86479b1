import { expect, test } from 'vitest'

import { explained } from '../../src/process/full-disk.ts'

const own = { dataDir: '/nowhere/data', artifactsDir: null, databaseUrl: null }
const onServer = { ...own, databaseUrl: 'postgres://me:hidden@db/name' }
const coded = (code: string) => Object.assign(new Error('failed'), { code })
const messageOf = async (error: unknown, places = own as Parameters<typeof explained>[1]) =>
  ((await explained(error, places)) as Error).message

test('a full disk is told with the directory and what to do, however it was met', async () => {
  const found = await Promise.all(
    [
      coded('ENOSPC'),
      coded('EDQUOT'),
      coded('53100'),
      coded('25006'),
      Object.assign(new Error('database or disk is full'), { errcode: 13 }),
      new Error('the database does not start: PANIC: could not write to file: No space left on device'),
      new Error('cannot lock', { cause: coded('ENOSPC') }),
    ].map((error) => messageOf(error)),
  )
  expect(new Set(found)).toEqual(
    new Set([
      'the disk of the data directory /nowhere/data is full: free at least 100 MB on it and start again, or move the directory to another disk and name it with --data or SERVICE_DATA_DIR',
    ]),
  )
})

test('the directory is the one with the least room', async () => {
  const places = { ...own, artifactsDir: import.meta.dirname }
  expect(await messageOf(coded('ENOSPC'), places)).toMatch(
    /^the disk of the folder of artifacts \S+ is full \(\d+ MB are left\): .* SERVICE_ARTIFACTS_DIR$/,
  )
})

test('the disk of a database server is told as such, and what is no full disk as it is', async () => {
  expect(await messageOf(coded('53100'), onServer)).toBe(
    'the disk of the database server is full: free space on it, then start again',
  )
  const standby = coded('25006')
  expect(await explained(standby, onServer)).toBe(standby)
  for (const other of [coded('ENOENT'), new Error('in use'), 'a text']) expect(await explained(other, own)).toBe(other)
})
