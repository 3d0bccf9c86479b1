import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

const guard = fileURLToPath(new URL('../../src/db/process-guard.ts', import.meta.url))

/** Runs a program behind the guard in a process of its own. */
const guarded = (program: string) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { guardProcess } from ${JSON.stringify(guard)}
       guardProcess({ warn: (fields, message) => console.log(message) })
       ${program}`,
    ],
    { encoding: 'utf8' },
  )

test('the process outlives the fault of the driver', () => {
  const { status, stdout } = guarded(`
    function nextWrite(socket) { socket.write('x') }
    setImmediate(() => nextWrite(null))
    setTimeout(() => console.log('alive'), 20)`)
  expect([status, stdout]).toEqual([0, 'the database went away inside a transaction\nalive\n'])
})

test('every other uncaught exception ends the process and is told', () => {
  const { status, stderr } = guarded(`setImmediate(() => { throw new TypeError('something else') })`)
  expect(status).toBe(1)
  expect(stderr).toContain('something else')
})

test('a listener of the host decides about the others', () => {
  const { status, stdout } = guarded(`
    process.on('uncaughtException', ({ message }) => console.log('host: ' + message))
    setImmediate(() => { throw new Error('mine') })`)
  expect([status, stdout]).toEqual([0, 'host: mine\n'])
})
