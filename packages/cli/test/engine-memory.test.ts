import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { describe, expect, test } from 'vitest'

import { Rest } from '../src/engine-memory.ts'

const MIB = 2 ** 20

describe('an engine at rest', () => {
  test('collects once after its start, and not while it works', () => {
    const rest = new Rest()
    const looks = [0.9, 0.2, 0.005, 0.9, 0.005, 0.005].map((load) => rest.look({ load, bytes: 260 * MIB }))
    expect(looks).toEqual([false, false, false, false, false, true])
    const after = [220, 220, 225].map((mib) => rest.look({ load: 0, bytes: mib * MIB }))
    expect(after).toEqual([false, false, false])
  })

  test('collects again after work that has left something', () => {
    const rest = new Rest()
    const seen = (load: number, mib: number): boolean => rest.look({ load, bytes: mib * MIB })
    expect([seen(0, 260), seen(0, 260), seen(0, 220)]).toEqual([false, true, false])
    expect([seen(0.8, 400), seen(0, 400), seen(0, 400), seen(0, 230)]).toEqual([false, false, true, false])
    expect([seen(0.8, 240), seen(0, 240), seen(0, 240)]).toEqual([false, false, false])
  })
})

describe.skipIf(process.platform !== 'linux')('the process of an engine', () => {
  const module = pathToFileURL(join(import.meta.dirname, '..', 'src', 'engine-memory.ts')).href
  const script = `const { beSmall } = await import('${module}')
    beSmall()
    console.log(JSON.stringify({
      pid: process.pid, args: process.argv.slice(1), gc: typeof gc, title: process.title,
      kept: process.env.MALLOC_TRIM_THRESHOLD_, own: process.env.OWN }))`
  const started = async (env: Record<string, string>, stdio: 'pipe' | 'ipc' = 'pipe') => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script, '--', 'serve', '--port', '0'], {
      env: { PATH: process.env.PATH ?? '', OWN: 'mine', ...env },
      stdio: ['ignore', 'pipe', 'inherit', ...(stdio === 'ipc' ? ['ipc' as const] : [])],
    })
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
    await once(child, 'close')
    return { pid: child.pid, told: JSON.parse(output) as Record<string, unknown> }
  }

  test('is the same one with the same arguments, and keeps what it needed for itself', async () => {
    const { pid, told } = await started({})
    expect(told).toMatchObject({ pid, gc: 'function', own: 'mine' })
    expect(told['args']).toEqual(expect.arrayContaining(['serve', '--port', '0']))
    expect(told).not.toHaveProperty('kept')
  })

  test('has the setting of the machine where there is one', async () => {
    expect((await started({ MALLOC_TRIM_THRESHOLD_: '4096' })).told).toMatchObject({ gc: 'function', kept: '4096' })
  })

  test('is left as it is below a parent that talks to it', async () => {
    const { pid, told } = await started({}, 'ipc')
    expect(told).toMatchObject({ pid, gc: 'undefined' })
  })
})
