/** A child process that tells what it has done, and dies in the middle of it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs Node with `args` until it has told `count` numbers, a line each, kills it with SIGKILL, and returns all it told. */
export async function killAfter(count: number, args: readonly string[]): Promise<number[]> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.split('\n').length > count) child.kill('SIGKILL')
  })
  await once(child, 'close')
  // a last line without its end was not told
  return output.split('\n').slice(0, -1).map(Number)
}
