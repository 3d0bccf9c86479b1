import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

const module = fileURLToPath(new URL('../../src/process/stray-rejections.ts', import.meta.url))

/** Runs a program above the net in a process of its own. */
const netted = (program: string) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { outliveStrayRejections } from ${JSON.stringify(module)}
       const log = { error: ({ err }, message) => console.log(String(err), '|', message) }
       const remove = outliveStrayRejections(log)
       ${program}`,
    ],
    { encoding: 'utf8' },
  )

test('the process outlives a promise that a node type forgot, and the log tells of it [F73]', () => {
  const { status, stdout } = netted(`
    void Promise.reject(new Error('forgotten'))
    void Promise.reject(undefined)
    setTimeout(() => { console.log('alive'); remove() }, 20)`)
  expect(status).toBe(0)
  expect(stdout).toMatch(/^Error: forgotten \| a promise .*\nundefined \| a promise .*\nalive\n$/)
})

test('a promise that is handled in time is nobody’s matter', () => {
  const { status, stdout } = netted(`
    const late = Promise.reject(new Error('handled'))
    late.catch(() => console.log('caught'))
    setTimeout(remove, 20)`)
  expect([status, stdout]).toEqual([0, 'caught\n'])
})

test('an exception outside any promise ends the process as before', () => {
  const { status, stderr } = netted(`setImmediate(() => { throw new Error('no promise') })`)
  expect(status).not.toBe(0)
  expect(stderr).toContain('no promise')
})

test('without the net a forgotten promise ends the process again', () => {
  const { status } = netted(`remove(); void Promise.reject(new Error('forgotten')); setTimeout(() => {}, 20)`)
  expect(status).not.toBe(0)
})
