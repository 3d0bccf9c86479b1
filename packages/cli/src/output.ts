/**
 * Where the bytes of an export go: a file, which is not replaced unasked, or standard output, where a terminal gets
 * nothing that it would obey.
 * @module
 */
import { open } from 'node:fs/promises'
import { Transform, type Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

import { CommandFailure } from './failure.ts'
import { printable } from './table.ts'

/** Opens a file for writing; fails when it exists, unless `force` is set. */
export async function openOutput(file: string, force = false): Promise<Writable> {
  const handle = await open(file, force ? 'w' : 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new CommandFailure(1, `cannot write "${file}": ${error.message}`)
    throw new CommandFailure(1, `"${file}" exists: give another file with -o, or --force to replace it`)
  })
  return handle.createWriteStream()
}

/** Spells out the control characters of text on its way to a terminal; ends of lines become plain ones. */
export function forTerminal(): Transform {
  const decoder = new StringDecoder('utf8')
  let held = ''
  const spelled = (text: string): string => {
    const whole = held + text
    // an end of a line may be cut in two
    held = whole.endsWith('\r') ? '\r' : ''
    return printable(whole.slice(0, whole.length - held.length).replaceAll('\r\n', '\n'))
  }
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, spelled(decoder.write(chunk))),
    flush: (done) => done(null, spelled(decoder.end()) + printable(held)),
  })
}
