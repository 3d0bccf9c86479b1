/**
 * What is typed or piped in and must not be seen: passwords and values of secrets, which never stand on a command line,
 * where every user of the machine can read them.
 * @module
 */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

import { CommandFailure } from './failure.ts'

/** All of the standard input, without one line break at its end. */
export async function readAll(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk)
  return text.replace(/\r?\n$/, '')
}

/**
 * Asks on the terminal without showing what is typed; Ctrl-D is an empty answer, Ctrl-C ends the process. Without a
 * terminal it fails with `remedy`.
 */
export function ask(question: string, remedy: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandFailure(2, `there is no terminal to ask on; ${remedy}`)
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  return new Promise((resolve) => {
    let typed = ''
    lines.once('SIGINT', () => process.exit(130))
    lines.once('close', () => {
      process.stderr.write('\n')
      resolve(typed)
    })
    lines.question('', (answer) => {
      typed = answer
      lines.close()
    })
  })
}
