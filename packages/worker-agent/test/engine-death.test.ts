import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, onTestFinished, test } from 'vitest'

import { children, isAlive, python, rig, until } from './harness.ts'

/** The name of a process's program; null when it is gone. */
function programOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return null
  }
}

/** An id that a run of this file beside ours does not have: agents are found by it over the whole machine. */
const own = (id: string): string => `${id}-${process.pid}`

describe.skipIf(python === null)('the death of the engine', () => {
  const engine = fileURLToPath(new URL('./engine-process.ts', import.meta.url))

  async function startEngine(id: string, directory: string, how = 'fork') {
    const child = spawn(
      process.execPath,
      ['--conditions=@flow-service/source', engine, id, directory, python as string, how],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    const pids = await new Promise<number[]>((resolve) =>
      child.stdout.once('data', (line: Buffer) => resolve(JSON.parse(line.toString()) as number[])),
    )
    return { child, pids }
  }

  function temporary(): string {
    const directory = mkdtempSync(join(tmpdir(), 'w-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  }

  test.each(['fork', 'spawn'])(
    'ends every busy child and what it has started within a second (%s) [F69]',
    async (how) => {
      const id = own(`engine-death-${how}`)
      const { child, pids } = await startEngine(id, temporary(), how)
      expect(pids).toHaveLength(3)
      expect(pids.every(isAlive)).toBe(true)
      expect(await until(() => children(id).some((pid) => programOf(pid) === 'sleep'))).toBe(true)
      child.kill('SIGKILL')
      expect(await until(() => children(id).length === 0, 1000)).toBe(true)
    },
  )

  test('leaves directories and escaped processes to the next start, which takes only what is its own', async () => {
    const directory = temporary()
    const { child } = await startEngine(own('swept'), directory)
    const stopped = children(own('swept'))
    // Everything is frozen, so that nothing can end itself in time: as if it had escaped.
    for (const pid of stopped) process.kill(pid, 'SIGSTOP')
    const { child: other, pids: others } = await startEngine(own('not-swept'), directory)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const before = readdirSync(directory)
    const next = rig({ python: null, id: own('swept'), directory })
    await next.worker.ready
    expect(await until(() => !stopped.some(isAlive))).toBe(true)
    expect(readdirSync(directory)).toHaveLength(before.length)
    expect(others.every(isAlive)).toBe(true)
    expect(other.exitCode).toBeNull()
    other.kill('SIGKILL')
    expect(await until(() => children(own('not-swept')).length === 0)).toBe(true)
  })

  test('the temporary directory goes with the worker', async () => {
    const directory = temporary()
    const working = rig({ python, directory })
    await working.call({ source: 'def run(): pass\n' })
    expect(readdirSync(directory)).toHaveLength(1)
    await working.worker.close()
    expect(existsSync(directory) && readdirSync(directory)).toEqual([])
  })
})
