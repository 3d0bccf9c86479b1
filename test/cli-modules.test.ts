/** `service modules` against a service, with packages of an index of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Modules } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type PackageIndex, startIndex } from '../packages/api-server/test/modules/package-index.ts'
import { findPython } from '../packages/worker-agent/src/index.ts'
import { begin, type Ended, ended, runService } from './cli-process.ts'
import { startService, type TestService } from './service.ts'

const python = await findPython(process.env)
const LONG_MS = 600_000

let index: PackageIndex
let at: TestService
const folder = mkdtempSync(join(tmpdir(), 'cli-modules-'))
beforeAll(async () => {
  index = await startIndex([{ name: 'colour', version: '1.0', source: '' }], [{ name: 'probe', version: '1.0.0' }])
  at = await startService({ pipIndexUrl: index.pipIndexUrl, npmRegistry: index.npmRegistry })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await index[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const place = () => ({ cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir } })
const service = (args: string[], input = ''): Promise<Ended> => runService(['modules', ...args], { ...place(), input })

describe.skipIf(python === null)('service modules', { timeout: LONG_MS }, () => {
  test('applies a file, shows how far it is, and lists what there is then', async () => {
    const file = join(folder, 'requirements.txt')
    writeFileSync(file, '# for the lab\ncolour>=1\nnpm:probe@^1.0.0\n')
    const release = index.hold()
    const command = begin(['modules', 'apply', '-r', file, '--watch'], place())
    // it follows as soon as it has said something
    const applied = await ended(command, (child) => void child.stdout.once('data', release))
    expect([applied.code, applied.err]).toEqual([0, ''])
    expect(applied.out).toContain('resolve 1 of 1, colour>=1')
    expect(applied.out).toMatch(/^swap 0 of 1$/m)
    expect(applied.out).toMatch(/Applied; 2 packages installed; start the engine again to use the npm packages\.\n$/)
    const listed = await service(['list'])
    expect(listed.out).toMatch(/^managed Python 3\.\S+ at \S+  ready  applied /)
    expect(listed.out).toMatch(/^npm packages have changed: start the engine again to use them$/m)
    expect(listed.out).toMatch(/^colour +1\.0 +pypi$/m)
    expect(listed.out).toMatch(/^probe +1\.0\.0 +npm$/m)
    expect((await service(['list', '--requirements'])).out).toBe('# for the lab\ncolour>=1\nnpm:probe@^1.0.0\n')
    const again = await service(['apply', '-r', '-'], '# for the lab\ncolour>=1\nnpm:probe@^1.0.0\n')
    expect([again.code, again.out]).toEqual([0, 'Nothing has changed: these requirements are in force already.\n'])
  })

  test('says which line cannot be installed, and what is in use then', async () => {
    const before = JSON.parse((await service(['list', '--json'])).out) as Modules
    const failed = await service(['apply', '-r', '-', '--watch'], 'colour\n\nnowhere\n')
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('line 3 "nowhere": pip says: ERROR: ')])
    const after = JSON.parse((await service(['list', '--json'])).out) as Modules
    expect([after.state, after.packages]).toEqual(['failed', before.packages])
    expect((await service(['list', '--log'])).out).toContain('ERROR: No matching distribution found for nowhere')
  })

  test('refuses a line that is none, a file that is not there, and no file', async () => {
    const refused = await service(['apply', '-r', '-'], 'colour\n-e .\n')
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('line 2: "-e .": options are not taken')])
    const absent = await service(['apply', '-r', 'absent.txt'])
    expect([absent.code, absent.err]).toEqual([expect.any(Number), expect.stringContaining('absent.txt')])
    const none = await service(['apply'])
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("'-r, --requirements <file>'")])
  })
})
