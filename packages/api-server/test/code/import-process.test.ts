import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

const module = join(import.meta.dirname, '../../src/code/import-process.ts')

const isAlive = (pid: string): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

test.runIf(process.platform === 'linux')(
  'an engine that is killed takes the process of its imports with it, though that never looks up',
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'imports-')))
    const file = join(folder, 'pids')
    const entry = join(folder, 'entry.mjs')
    await writeFile(
      entry,
      `import { spawn } from 'node:child_process'
       import { renameSync, writeFileSync } from 'node:fs'
       const { pid } = spawn('/bin/sleep', ['600'])
       writeFileSync('written', process.pid + ' ' + pid)
       renameSync('written', 'pids')
       for (;;) {}`,
    )
    const engine = spawn(
      process.execPath,
      [
        '--conditions=@flow-service/source',
        '--no-warnings',
        '--input-type=module',
        '-e',
        `import { writeFileSync } from 'node:fs'
         import { ImportProcess } from ${JSON.stringify(module)}
         const setting = { cwd: ${JSON.stringify(folder)}, env: {} }
         new ImportProcess(${JSON.stringify(entry)}, setting, { message() {}, ended() {} })
         setImmediate(() => writeFileSync('begun', ''))`,
      ],
      { cwd: folder, stdio: 'ignore' },
    )
    try {
      const written = [file, join(folder, 'begun')]
      await expect.poll(() => written.filter((each) => existsSync(each))).toEqual(written)
      const pids = readFileSync(file, 'utf8').split(' ')
      expect(pids.filter(isAlive)).toEqual(pids)
      engine.kill('SIGKILL')
      await expect.poll(() => pids.filter(isAlive)).toEqual([])
    } finally {
      engine.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    }
  },
)
