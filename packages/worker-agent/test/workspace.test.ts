import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { abandonedWorkspaces, Workspace } from '../src/workspace.ts'
import { python, rig } from './harness.ts'

const MARK = '0123456789ab'

/** A directory whose path has about so many characters. */
function directoryOf(characters: number): string {
  const root = mkdtempSync(join(tmpdir(), 'w-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const directory = join(root, 'd'.repeat(Math.max(1, characters - root.length)))
  mkdirSync(directory)
  return directory
}

test('a socket lies beside the working directories where its path is short enough, else in a directory of its own', async () => {
  const place = mkdtempSync('/tmp/w-')
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const short = new Workspace('/tmp', MARK, [place])
  expect(dirname(short.socket())).toBe(short.path)
  expect(readdirSync(place)).toEqual([])
  const long = new Workspace(directoryOf(150), MARK, ['/nowhere', place])
  const socket = long.socket()
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(103)
  expect(dirname(dirname(socket))).toBe(place)
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700)
  expect(statSync(long.path).mode & 0o777).toBe(0o700)
  await Promise.all([short.remove(), long.remove()])
  expect(readdirSync(place)).toEqual([])
  expect(existsSync(long.path)).toBe(false)
})

test('where no directory is short enough the error says what to do, and nothing is left', () => {
  const directory = directoryOf(150)
  expect(() => new Workspace(directory, MARK, ['/nowhere', directoryOf(120)])).toThrow(
    `no directory is short enough for a socket: ${directory}, /nowhere and `,
  )
  expect(readdirSync(directory)).toEqual([])
})

test('directories of sockets that a dead engine left are found', () => {
  const place = mkdtempSync('/tmp/w-')
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const left = join(place, `flow-worker-${MARK}-4194305-abc-123456`)
  mkdirSync(left)
  new Workspace(directoryOf(150), MARK, [place])
  expect(abandonedWorkspaces([directoryOf(150), place], MARK, () => false)).toEqual([left])
})

test.skipIf(python === null)('Python runs in a temporary directory with a long path', async () => {
  const directory = directoryOf(150)
  const own = rig({ python, directory })
  const last = await own.call({ source: 'import os\ndef run():\n    return {"y": os.getcwd()}\n' })
  expect(last).toMatchObject({ type: 'result', outputs: { y: expect.stringContaining(directory) as string } })
})
