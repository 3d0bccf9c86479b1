import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

import { createClient } from '@flow-service/client-sdk'

import { CommandFailure } from '../failure.ts'
import { apiAddress, keepSignIn } from '../session.ts'

interface LoginFlags {
  readonly url: string
  readonly email: string
  readonly passwordStdin?: boolean
  readonly json?: boolean
}

/** `service login`: asks for the password, checks it, keeps the token. */
export async function login(flags: LoginFlags): Promise<void> {
  const baseUrl = apiAddress(flags.url)
  const password = flags.passwordStdin ? await readAll() : await ask(`Password of ${flags.email}: `)
  if (password === '') throw new CommandFailure(2, 'no password was given')
  const client = createClient({ baseUrl })
  const token = await client.login.accessToken({ username: flags.email, password })
  const file = keepSignIn({ base_url: baseUrl, access_token: token.access_token })
  const days = Math.round(token.expires_in / 86_400)
  console.log(flags.json ? JSON.stringify({ base_url: baseUrl, file }) : `Signed in for ${days} days (${file}).`)
}

async function readAll(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk)
  return text.replace(/\r?\n$/, '')
}

/** Asks on the terminal without showing what is typed; Ctrl-D is an empty answer, Ctrl-C ends the process. */
function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CommandFailure(2, 'there is no terminal to ask on; give --password-stdin')
  }
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
