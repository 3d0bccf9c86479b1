/**
 * A key that engines of one database share: from the environment, else a file in the data folder. The database of a server
 * knows its fingerprint from the first start on, and an engine with another one does not start (wire decision S6).
 * @module
 */
import { rm } from 'node:fs/promises'

import type { PinName, Pins } from '../db/pins.ts'
import { ConfigError } from '../process/setting.ts'
import { writePrivateFile } from './private-file.ts'

/** A key that is there. */
export interface FoundKey<K> {
  readonly key: K
  /** The variable or the file that holds it. */
  readonly source: string
}

/** A kind of key. */
export interface SharedKey<K> {
  readonly pin: PinName
  /** What engines do with it: `sign sessions`. */
  readonly use: string
  /** What another key means: `signs everybody out`. */
  readonly change: string
  readonly variable: string
  readonly path: string
  /** Tells keys apart, and nothing about them. */
  readonly fingerprint: (key: K) => string
  /** A new one, and the text of its file. */
  readonly make: () => { readonly key: K; readonly text: string }
}

/**
 * The key that was found, else a new one, whose file is written; but none for a database whose engines have one. Throws
 * `ConfigError`, and has changed nothing, when the key is not that of the database. `pins` is null on an embedded one.
 */
export async function agreeOnKey<K>(kind: SharedKey<K>, found: FoundKey<K> | null, pins: Pins | null): Promise<K> {
  const known = found === null ? ((await pins?.known(kind.pin)) ?? null) : null
  if (known !== null) throw otherKey(kind, known, `there is no ${kind.path}`)
  if (found !== null) {
    await claim(kind, found, pins)
    return found.key
  }
  const { key, text } = kind.make()
  await writePrivateFile(kind.path, text)
  await claim(kind, { key, source: kind.path }, pins, () => rm(kind.path, { force: true }))
  return key
}

async function claim<K>(
  kind: SharedKey<K>,
  { key, source }: FoundKey<K>,
  pins: Pins | null,
  undo?: () => Promise<void>,
): Promise<void> {
  const id = kind.fingerprint(key)
  await pins?.claim({
    name: kind.pin,
    id,
    refusal: (pinned) => otherKey(kind, pinned, `${source} holds ${id}`),
    ...(undo ? { undo } : {}),
  })
}

type Words = Pick<SharedKey<unknown>, 'use' | 'change' | 'variable'>

const otherKey = ({ use, change, variable }: Words, pinned: string, found: string): ConfigError =>
  new ConfigError(
    `the engines of this database ${use} by the key ${pinned}, and ${found}: set ${variable} to that key, the same one ` +
      `for all engines, or stop them all and use "service signing-keys forget" for another one, which ${change}; nothing was changed`,
  )
