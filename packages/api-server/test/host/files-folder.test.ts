import { execFileSync } from 'node:child_process'
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { filePathFault, type Files, MAX_FILE_BYTES, MAX_FILE_READ_BYTES } from '@flow-service/connector-sdk'
import { fileNode } from '@flow-service/node-types'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { openFilesFolder } from '../../src/host/files-folder.ts'
import { insideSpellings, refusedSpellings } from './path-spellings.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = async (data: Promise<Uint8Array>): Promise<string> => new TextDecoder().decode(await data)

let home: string
let root: string
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'files-')))
  root = join(home, 'files')
  await mkdir(join(root, 'a', 'b'), { recursive: true })
  await writeFile(join(root, 'inside.txt'), 'inside')
  await writeFile(join(home, 'canary.txt'), 'canary')
  await mkdir(join(home, 'beside'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

test.each([
  ['removed', async () => rm(root, { recursive: true })],
  [
    'replaced by another one',
    async () => {
      await rename(root, join(home, 'elsewhere'))
      await mkdir(root)
    },
  ],
])('once it is %s, nothing is read or written, and it is not made anew', async (_how, lose) => {
  const files = await openFilesFolder(root)
  await lose()
  const before = await readdir(home)
  const gone = { name: 'unusable', message: expect.stringContaining('removed, moved or replaced') as string }
  await expect(files.read('inside.txt')).rejects.toMatchObject(gone)
  await expect(files.write('new.txt', bytes('new'))).rejects.toMatchObject(gone)
  await expect(files.append('deep/new.txt', bytes('new'))).rejects.toMatchObject(gone)
  expect(await readdir(home)).toEqual(before)
  expect(before.includes('files') ? await readdir(root) : []).toEqual([])
})

/** Everything below a folder, as paths. */
const listed = async (path: string): Promise<string[]> => (await readdir(path, { recursive: true })).toSorted()

/** How reading, writing and adding to a path end: `refused` and so on, or `done`. */
async function endingsOf(files: Files, path: string): Promise<string[]> {
  const ends = [() => files.read(path), () => files.write(path, bytes('x')), () => files.append(path, bytes('x'))]
  const endings: string[] = []
  for (const run of ends) {
    endings.push(
      await run().then(
        () => 'done',
        (error: Error) => error.name,
      ),
    )
  }
  return endings
}

/** The paths that are not refused all three times. */
async function notRefused(files: Files, paths: readonly string[]): Promise<string[]> {
  const all = await Promise.all(paths.map(async (path) => ({ path, endings: await endingsOf(files, path) })))
  return all.filter(({ endings }) => endings.some((ending) => ending !== 'refused')).map(({ path }) => path)
}

test('more than 60 spellings are refused by their text, before any file is looked at [R293] [T66]', () => {
  expect(refusedSpellings.length).toBeGreaterThan(60)
  expect(refusedSpellings.filter((path) => filePathFault(path) === null)).toEqual([])
  expect(insideSpellings.filter((path) => filePathFault(path) !== null)).toEqual([])
})

test.each(refusedSpellings)('a node with the path %j is an error of its flow [R293] [T66]', (path) => {
  const input = { port: 'in', message: 'f.in', dtype: 'any', stream: false, trigger: true } as const
  const settings = { path, mode: 'write' }
  const parsed = fileNode.settings.safeParse(settings)
  if (!parsed.success) return expect(path).toBe('')
  const findings = fileNode.check?.({ id: 'n', mode: 'live', settings: parsed.data, inputs: [input], outputs: [] })
  expect(findings).toMatchObject([{ code: 'bad_setting', path: '/settings/path' }])
  // a text that every log and database takes
  const message = findings?.[0]?.message ?? ''
  expect(Array.from(message).filter((character) => character < ' ')).toEqual([])
  expect([message.isWellFormed(), message.length < 400]).toEqual([true, true])
})

describe.each([
  ['by descriptor', true],
  ['by path', false],
])('the files directory, entered %s', (_name, descriptors) => {
  let files: Files
  beforeEach(async () => {
    files = await openFilesFolder(root, { descriptors })
  })

  test('no spelling reads, writes or adds to anything outside [R293] [T66]', async () => {
    const before = [await listed(home), await readFile(join(home, 'canary.txt'), 'utf8')]
    expect(await notRefused(files, refusedSpellings)).toEqual([])
    expect([await listed(home), await readFile(join(home, 'canary.txt'), 'utf8')]).toEqual(before)
  })

  test('odd names that stay inside are read back as they were written [R292] [T66]', async () => {
    for (const path of insideSpellings) {
      await files.write(path, bytes(path))
      await files.append(path, bytes('+'))
      expect(await textOf(files.read(path))).toBe(`${path}+`)
      expect(await readFile(join(root, path), 'utf8')).toBe(`${path}+`)
    }
    expect((await listed(home)).filter((path) => !path.startsWith('files'))).toEqual(['beside', 'canary.txt'])
  })

  test('links that lead out are refused, to a file, a folder, a device or nothing [R293] [T67] [T68]', async () => {
    await symlink(join(home, 'canary.txt'), join(root, 'out.txt'))
    await symlink('../canary.txt', join(root, 'up.txt'))
    await symlink('..', join(root, 'a', 'b', 'up'))
    await symlink(home, join(root, 'home'))
    await symlink(join(home, 'new.txt'), join(root, 'dangling.txt'))
    await symlink(join(home, 'beside', 'new'), join(root, 'dangling'))
    await symlink('loop', join(root, 'loop'))
    await symlink('/dev/zero', join(root, 'zero'))
    await symlink('/proc/self/environ', join(root, 'environ'))
    const paths = [
      'out.txt',
      'up.txt',
      'home/canary.txt',
      'home/new.txt',
      'home/beside/x/y',
      'dangling.txt',
      'dangling/x',
      'loop',
      'zero',
      'environ',
    ]
    const before = await listed(home)
    // what leads to nothing is missing for who reads
    expect(await notRefused(files, paths)).toEqual(['home/new.txt', 'home/beside/x/y', 'dangling.txt', 'dangling/x'])
    for (const path of ['home/new.txt', 'home/beside/x/y', 'dangling.txt', 'dangling/x'])
      expect(await endingsOf(files, path)).toEqual(['missing', 'refused', 'refused'])
    expect(await listed(home)).toEqual(before)
    expect(await readFile(join(home, 'canary.txt'), 'utf8')).toBe('canary')
  })

  test('links that stay inside are followed, and what they name is written [R293]', async () => {
    await symlink('inside.txt', join(root, 'latest'))
    await symlink(join(root, 'a'), join(root, 'link'))
    expect(await textOf(files.read('latest'))).toBe('inside')
    await files.write('latest', bytes('new'))
    await files.write('link/b/c/d.txt', bytes('deep'))
    expect(await readFile(join(root, 'inside.txt'), 'utf8')).toBe('new')
    expect(await readFile(join(root, 'a/b/c/d.txt'), 'utf8')).toBe('deep')
    expect(await textOf(files.read('link/b/c/d.txt'))).toBe('deep')
  })

  test('only regular files are touched, and nothing hangs [T68]', async () => {
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', join(root, 'pipe')])
    expect(await notRefused(files, ['a', 'a/b', 'pipe', 'inside.txt/x'])).toEqual([])
    expect((await stat(join(root, 'pipe'))).isFIFO()).toBe(true)
  })

  test('a file of 10 GB is not read, and a full one takes no more [T68]', async () => {
    await writeFile(join(root, 'big'), '')
    await truncate(join(root, 'big'), 10 * 1024 ** 3)
    await expect(files.read('big')).rejects.toMatchObject({ name: 'too_large' })
    await expect(files.append('big', bytes('x'))).rejects.toMatchObject({ name: 'too_large' })
    await truncate(join(root, 'big'), MAX_FILE_BYTES - 1)
    await files.append('big', bytes('x'))
    await expect(files.append('big', bytes('x'))).rejects.toMatchObject({ name: 'too_large' })
    const most = new Uint8Array(MAX_FILE_READ_BYTES)
    await files.write('most', most)
    expect((await files.read('most')).length).toBe(MAX_FILE_READ_BYTES)
    const more = new Uint8Array(MAX_FILE_READ_BYTES + 1)
    await expect(files.write('most', more)).rejects.toMatchObject({ name: 'too_large' })
    await expect(files.append('most', more)).rejects.toMatchObject({ name: 'too_large' })
  })

  test('a file that is not there is missing, and adding makes it with its folders', async () => {
    await expect(files.read('none.txt')).rejects.toMatchObject({
      name: 'missing',
      message: expect.not.stringContaining(home),
    })
    await expect(files.read('no/folder.txt')).rejects.toMatchObject({ name: 'missing' })
    expect(await listed(root)).not.toContain('no')
    await files.append('no/folder.txt', bytes('1'))
    await files.append('no/folder.txt', bytes('2'))
    expect(await textOf(files.read('no/folder.txt'))).toBe('12')
  })

  test('a file is replaced whole: readers have the old text or the new one, and nothing is left over', async () => {
    const [old, next] = ['o'.repeat(200_000), 'n'.repeat(200_000)]
    await files.write('state', bytes(old))
    const seen = new Set<string>()
    let busy = true
    const reading = (async () => {
      while (busy) seen.add(await textOf(files.read('state')))
    })()
    for (let at = 0; at < 20; at++) await files.write('state', bytes(at % 2 === 0 ? next : old))
    busy = false
    await reading
    expect([...seen].every((text) => text === old || text === next)).toBe(true)
    expect((await listed(root)).filter((name) => name.includes('.part'))).toEqual([])
  })

  test('a replaced file keeps its permissions, and a new one is the engine’s alone', async () => {
    await chmod(join(root, 'inside.txt'), 0o640)
    await files.write('inside.txt', bytes('new'))
    expect((await stat(join(root, 'inside.txt'))).mode & 0o777).toBe(0o640)
    await files.write('fresh.txt', bytes('x'))
    expect((await stat(join(root, 'fresh.txt'))).mode & 0o077).toBe(0)
  })

  test('records of several writers arrive whole, each on its own line', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `${at} ${'x'.repeat(500)}`)
    await Promise.all(lines.map((line) => files.append('shared/log.txt', bytes(`${line}\n`))))
    const written = (await textOf(files.read('shared/log.txt'))).trimEnd().split('\n')
    expect(written.toSorted()).toEqual(lines.toSorted())
  })

  test('no file stays open', async () => {
    const open = async (): Promise<number> => (await readdir('/proc/self/fd')).length
    const before = await open()
    for (let at = 0; at < 15; at++) {
      await files.write('a/b/x', bytes('x'))
      await files.append('a/b/x', bytes('x'))
      await files.read('a/b/x')
      await files.read('a/b/none').catch(() => {})
      await files.append('a/b', bytes('x')).catch(() => {})
    }
    expect(await open()).toBeLessThan(before + 10)
  })
})

/** Swaps `<root>/swap` between a folder and a link to a folder outside, as fast as it can. */
const swapper = `
  const { renameSync, rmSync, symlinkSync, mkdirSync, writeFileSync } = require('node:fs')
  const { workerData: { root, beside, flag } } = require('node:worker_threads')
  const view = new Int32Array(flag)
  mkdirSync(root + '/real')
  writeFileSync(root + '/real/x.txt', 'inside')
  symlinkSync(beside, root + '/out')
  renameSync(root + '/real', root + '/swap')
  const move = (from, to) => {
    for (;;) {
      try {
        return renameSync(root + from, root + to)
      } catch {
        // a writer has made the folder anew in between, and may write to it still
        try {
          rmSync(root + to, { recursive: true, force: true })
        } catch {}
      }
    }
  }
  while (Atomics.load(view, 0) === 0) {
    move('/swap', '/real')
    move('/out', '/swap')
    Atomics.add(view, 1, 1)
    move('/swap', '/out')
    move('/real', '/swap')
  }
`

test('in 10,000 attempts while a folder is swapped for a link out, nothing outside is reached [T67]', async () => {
  await writeFile(join(home, 'beside', 'x.txt'), 'canary')
  const flag = new SharedArrayBuffer(8)
  const view = new Int32Array(flag)
  const files = await openFilesFolder(root)
  const worker = new Worker(swapper, { eval: true, workerData: { root, beside: join(home, 'beside'), flag } })
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  await expect.poll(() => Atomics.load(view, 1)).toBeGreaterThan(0)
  const outcomes = { inside: 0, stopped: 0 }
  const attempt = async (run: () => Promise<unknown>): Promise<void> => {
    try {
      const data = await run()
      if (data !== undefined) expect(new TextDecoder().decode(data as Uint8Array)).not.toContain('canary')
      outcomes.inside += 1
    } catch (error) {
      expect(error).toMatchObject({ name: expect.stringMatching(/refused|missing/) })
      outcomes.stopped += 1
    }
  }
  const attempts = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++) {
      if (at % 2 === 0) await attempt(() => files.read('swap/x.txt'))
      else await attempt(() => files.append('swap/x.txt', bytes('+')))
      if (at % 50 === 0) await attempt(() => files.write('swap/new.txt', bytes('+')))
    }
  }
  // eight at a time, as nodes do
  await Promise.all(Array.from({ length: 8 }, () => attempts(1250)))
  Atomics.store(view, 0, 1)
  await ended
  expect(Atomics.load(view, 1)).toBeGreaterThan(10_000)
  expect(outcomes.inside + outcomes.stopped).toBeGreaterThan(10_000)
  expect(Math.min(outcomes.inside, outcomes.stopped)).toBeGreaterThan(0)
  expect(await readFile(join(home, 'beside', 'x.txt'), 'utf8')).toBe('canary')
  expect(await readdir(join(home, 'beside'))).toEqual(['x.txt'])
})

test('a hard link inside is a file inside', async () => {
  await link(join(root, 'inside.txt'), join(root, 'second.txt'))
  const files = await openFilesFolder(root)
  expect(await textOf(files.read('second.txt'))).toBe('inside')
})

test('the directory is made, and may itself be reached by a link', async () => {
  await openFilesFolder(join(home, 'made', 'files'))
  expect((await stat(join(home, 'made', 'files'))).mode & 0o777).toBe(0o700)
  await symlink(root, join(home, 'elsewhere'))
  const files = await openFilesFolder(join(home, 'elsewhere'))
  expect(await textOf(files.read('inside.txt'))).toBe('inside')
})
