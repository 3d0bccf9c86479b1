/**
 * Typed constructors of `file`.
 * @module
 */
import { type Inputs, nodeType, t, type TypedNode } from '@flow-service/flow-sdk'

import type { AnyValue, NoPorts } from '../../constructor-ports.ts'

/** Options of {@link file}. */
export interface FileOptions {
  /** Path below the engine's files directory, with `/` between folders. */
  readonly path: string
  /** `text` unless given. */
  readonly format?: 'text' | 'json'
  /** False: records end without a line break. */
  readonly newline?: boolean
}

type FileWriter = TypedNode<{ readonly value: typeof t.any }, NoPorts>

/** Files of the engine's files directory. */
export const file = {
  /**
   * Read a whole file on each arrival, as text or as JSON of the type that `out` names. Output: `content`.
   * @example const { content } = use(file.read({ path: 'limits.json', format: 'json', out: t.object, in: { tick: t.any } }), { tick })
   */
  read: <I extends Inputs, P extends AnyValue = typeof t.str>({
    in: inputs,
    out,
    ...settings
  }: Pick<FileOptions, 'path'> & { readonly in: I } & (
      | { readonly format?: 'text'; readonly out?: P }
      | { readonly format: 'json'; readonly out: P }
    )): TypedNode<I, { readonly content: P }> =>
    // Without `out`, P is str by its default.
    nodeType('file', { in: inputs, out: { content: out ?? (t.str as unknown as P) }, settings }),

  /**
   * Replace a file by each value. Input: `value`.
   * @example use(file.write({ path: 'state/last.json', format: 'json' }), { value: m.state })
   */
  write: (options: FileOptions): FileWriter =>
    nodeType('file', { in: { value: t.any }, out: {}, settings: { ...options, mode: 'write' } }),

  /**
   * Add each value to the end of a file. Input: `value`.
   * @example use(file.append({ path: 'log/alarms.txt' }), { value: m.alarm })
   */
  append: (options: FileOptions): FileWriter =>
    nodeType('file', { in: { value: t.any }, out: {}, settings: { ...options, mode: 'append' } }),
}
