import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { VirtualClock } from '@flow-service/core/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { HeldDirectory } from '../../src/process/held-directory.ts'

let home: string
let directory: string
let clock: VirtualClock
let held: HeldDirectory
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'held-directory-'))
  directory = path.join(home, 'data')
  fs.mkdirSync(directory)
  clock = new VirtualClock(0)
  held = new HeldDirectory(directory, (delayMs, run) => clock.setTimer(delayMs, run))
})
afterEach(() => {
  held.release()
  fs.rmSync(home, { recursive: true })
})

/** What is told a second later; null when nothing is. */
async function toldLater(): Promise<string | null> {
  await clock.advance(1_000)
  return Promise.race([held.lost.then(({ message }) => message), Promise.resolve().then(() => null)])
}

test('a directory that stays is held, whatever is written in it, and the watch ends with it', async () => {
  fs.writeFileSync(path.join(directory, 'file'), '')
  expect(held.check()).toBeNull()
  expect(await toldLater()).toBeNull()
  held.release()
  expect(clock.pending).toBe(0)
})

test.each([
  ['removed', 'is gone', () => fs.rmSync(directory, { recursive: true })],
  ['renamed', 'is gone', () => fs.renameSync(directory, path.join(home, 'elsewhere'))],
  [
    'replaced by one that may get its number',
    'is another one now',
    () => {
      fs.rmSync(directory, { recursive: true })
      fs.mkdirSync(directory)
    },
  ],
  [
    'replaced by a file',
    'is another one now',
    () => {
      fs.rmSync(directory, { recursive: true })
      fs.writeFileSync(directory, '')
    },
  ],
])('a directory that is %s is lost within a second, and the message says what to do', async (_how, found, lose) => {
  lose()
  expect(await toldLater()).toBe(
    `the data directory ${directory} was removed, moved or replaced while the engine used it (${directory} ${found}): ` +
      'nothing is written any more; put it back, then start the engine again',
  )
})

test('a held entry that is removed is a loss of the directory', async () => {
  const lock = path.join(directory, 'lock')
  const descriptor = fs.openSync(lock, 'w')
  held.hold('lock')
  expect(held.check()).toBeNull()
  fs.rmSync(lock)
  fs.writeFileSync(lock, '')
  expect(held.check()?.message).toContain(`(${lock} is another one now)`)
  fs.closeSync(descriptor)
})

test('what is lost stays lost when it comes back', async () => {
  fs.renameSync(directory, path.join(home, 'elsewhere'))
  const loss = held.check()
  fs.renameSync(path.join(home, 'elsewhere'), directory)
  expect(held.check()).toBe(loss)
  expect(loss).not.toBeNull()
  expect(await held.lost).toBe(loss)
})
