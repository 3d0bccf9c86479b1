/**
 * Shells with a terminal, in which a line is typed as a person does.
 * @module
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** A shell that the command completes for. */
export type ShellName = 'bash' | 'zsh' | 'fish'

const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(path.delimiter).some((directory) => fs.existsSync(path.join(directory, program)))

/** Whether tests can use a shell; says so once for a whole run. Throws without it where `CI` is set. */
export function hasShell(name: ShellName): boolean {
  const missing = [name, 'script'].filter((program) => !isInstalled(program)).join(', ')
  if (missing === '') return true
  if (process.env['CI']) throw new Error(`${missing} not found (apt-get install zsh fish), and CI must not skip it`)
  console.log(`skipped: ${missing} not found (apt-get install zsh fish)`)
  return false
}

/** None reads what somebody has configured. */
const commands = { bash: 'bash --norc --noprofile -i', zsh: 'zsh -f -i', fish: 'fish --no-config -i' }

/** A shell whose programs print their answers between marks. */
export interface TypedShell extends Disposable {
  /** Types keys, and waits for the next answer. */
  type(keys: string): Promise<string>
}

const MARK = /@@(.*?)@@/s

/** Starts a shell on a terminal of its own. */
export function openShell(name: ShellName, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): TypedShell {
  const child: ChildProcessWithoutNullStreams = spawn('script', ['-qfec', commands[name], '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm', LANG: 'C.UTF-8', SHELL: '/bin/sh', ...env },
  })
  let screen = ''
  let hear = (): void => {}
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    hear()
  })
  return {
    type: (keys) =>
      new Promise((resolve, reject) => {
        const ended = (): void => reject(new Error(`${name} has ended: ${screen}`))
        child.once('close', ended)
        hear = () => {
          const [all, answer] = MARK.exec(screen) ?? []
          if (all === undefined || answer === undefined) return
          screen = screen.slice(screen.indexOf(all) + all.length)
          child.off('close', ended)
          resolve(answer)
        }
        child.stdin.write(keys)
      }),
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  }
}
