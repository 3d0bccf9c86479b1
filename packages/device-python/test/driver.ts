/**
 * The Python SDK as the driver of sessions: a program that gets commands and tells events, both as JSON lines.
 * @module
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

import { Queue } from '../../device-sdk/test/queue.ts'
import type { Driver } from '../../device-sdk/test/session-runner.ts'
import { environment, home } from './python.ts'

type Fields = Readonly<Record<string, unknown>>

/** The program, which plays one session after the other. */
export class PythonSdk implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #exited: Promise<unknown>
  readonly #answers = new Queue<Fields>()
  #events = new Queue<Fields>()

  constructor(python: string) {
    this.#child = spawn(python, ['-X', 'dev', 'test/driver.py'], {
      cwd: home,
      env: environment,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#exited = once(this.#child, 'exit')
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as Fields
      if ('answer' in said) this.#answers.push(said)
      else this.#events.push(said)
    })
  }

  /** A driver for the next session. */
  driver(): Driver {
    this.#events = new Queue()
    return {
      events: this.#events,
      begin: async (kind, at) => void (await this.#ask({ begin: { kind, ...at } })),
      act: (action) => this.#ask({ act: action }),
      advance: async (seconds) => void (await this.#ask({ advance: seconds })),
    }
  }

  /** After a session: nothing of it goes on. */
  async end(): Promise<void> {
    await this.#ask({ end: true })
  }

  async #ask(command: Fields): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`)
    return (await this.#answers.next()).answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end()
    await this.#exited
  }
}
