/**
 * Which runs a search asks for, as it is typed: fixed parameters, axes, seeds, or a file of entries.
 * @module
 */
import { readFileSync } from 'node:fs'

import { grid, repeat } from '@flow-service/client-sdk'

import { parseJson } from './document-file.ts'
import { CommandFailure } from './failure.ts'
import { type ParamFlags, paramsOf } from './params-file.ts'
import { jsonOrText } from './values.ts'

/** Options of commands that take a search. */
export interface SearchFlags extends ParamFlags {
  /** `name=values`. */
  readonly grid?: readonly string[]
  readonly seeds?: readonly number[]
  /** A JSON file with a list of params. */
  readonly file?: string
}

type Entry = Record<string, never>

/** Entries as the API takes them. */
export function searchOf(assignments: readonly string[], flags: SearchFlags): { runs: Entry[]; seeds?: number[] } {
  const fixed = paramsOf(assignments, flags)
  const axes = Object.fromEntries((flags.grid ?? []).map(axis))
  if (flags.file !== undefined && flags.grid !== undefined) {
    throw new CommandFailure(2, 'give the entries of --file or the axes of --grid, not both')
  }
  const entries: Record<string, unknown>[] = flags.file === undefined ? grid(axes) : entriesIn(flags.file)
  const runs = entries.map((entry) => ({ ...fixed, ...entry }) as Entry)
  if (flags.seeds === undefined) return { runs }
  const repeated = repeat(runs, flags.seeds)
  return { runs: [...repeated.runs] as Entry[], seeds: [...repeated.seeds] }
}

/** `lr=0.1,0.3` or `lr=[0.1,0.3]`: a name and its values. */
function axis(text: string): [name: string, values: unknown[]] {
  const at = text.indexOf('=')
  if (at < 1) throw new CommandFailure(2, `"${text}" has no name; write --grid name=value,value`)
  const values = jsonOrText(text.slice(at + 1))
  if (Array.isArray(values)) return [text.slice(0, at), values]
  return [
    text.slice(0, at),
    text
      .slice(at + 1)
      .split(',')
      .map(jsonOrText),
  ]
}

function entriesIn(file: string): Entry[] {
  const content = parseJson(readFileSync(file, 'utf8'), file)
  const isEntry = (item: unknown): boolean => typeof item === 'object' && item !== null && !Array.isArray(item)
  if (!Array.isArray(content) || !content.every(isEntry)) {
    throw new CommandFailure(2, `${file} is no list of params; write [{"lr": 0.1}, {"lr": 0.3}]`)
  }
  return content as Entry[]
}
