/**
 * Lines that somebody types at a prompt, or that a pipe brings.
 * @module
 */
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** Where lines come from, and where a prompt stands. */
export interface Typing {
  readonly input: Readable
  /** The terminal of a person who types; null where nobody does. */
  readonly terminal: Writable | null
}

/** Lines without blank ones; a person ends them by `exit`, Ctrl-D or Ctrl-C, and is prompted again for each. */
export async function* typedLines({ input, terminal }: Typing): AsyncGenerator<string> {
  if (terminal === null) {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) if (line.trim() !== '') yield line.trim()
    return
  }
  const lines = createInterface({ input, output: terminal, terminal: true, prompt: '> ' })
  let isOpen = true
  lines.once('close', () => (isOpen = false))
  try {
    lines.prompt()
    for await (const line of lines) {
      const text = line.trim()
      if (text === 'exit' || text === 'quit') return
      if (text !== '') yield text
      // Ctrl-D may have come while the line was worked on
      if (isOpen) lines.prompt()
    }
    // the shell goes on below the prompt
    terminal.write('\n')
  } finally {
    // an input that is still read would keep the process
    lines.close()
  }
}
