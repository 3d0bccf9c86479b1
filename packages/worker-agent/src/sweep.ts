/**
 * Ends what an engine left behind that died without a word: processes that escaped their group, and directories.
 * Ordinary processes die with their engine; this finds the others by the environment they inherited. Linux only, where
 * `/proc` shows it.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'

import { ENGINE_VARIABLE, MARK_VARIABLE } from './environment.ts'
import { abandonedWorkspaces, SHORT_PLACES } from './workspace.ts'

/** Kills orphans that carry `mark` and whose engine is dead, and removes the directories of such engines. */
export async function sweep(directory: string, mark: string): Promise<void> {
  for (const pid of orphans(mark)) signal(pid, 'SIGKILL')
  const left = abandonedWorkspaces([directory, ...SHORT_PLACES], mark, isAlive)
  // What cannot be removed now is left to the next start.
  await Promise.allSettled(left.map((path) => rm(path, { recursive: true, force: true })))
}

function orphans(mark: string): number[] {
  return processes().filter((pid) => {
    const variables = environmentOf(pid)
    if (!variables.includes(`${MARK_VARIABLE}=${mark}`)) return false
    const engine = variables.find((entry) => entry.startsWith(`${ENGINE_VARIABLE}=`))?.slice(ENGINE_VARIABLE.length + 1)
    return engine !== undefined && !isAlive(Number(engine))
  })
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    // Another user's process, or one that has just ended.
    return []
  }
}

const isAlive = (pid: number): boolean => signal(pid, 0)

/** Whether the process exists. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
