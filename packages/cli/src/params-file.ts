/**
 * Parameters of a run as they are typed: a file of them, and single ones, which win over the file.
 * @module
 */
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

import { parse, YAMLParseError } from 'yaml'

import { parseJson } from './document-file.ts'
import { CommandFailure } from './failure.ts'
import { parsePairs } from './values.ts'

/** What commands take that submit runs. */
export interface ParamFlags {
  /** `name=value`. */
  readonly param?: readonly string[]
  /** A file of JSON, or of YAML where its name ends so. */
  readonly paramsFile?: string
}

/** Parameters by name; `assignments` are those without `-p`. */
export function paramsOf(assignments: readonly string[], flags: ParamFlags): Record<string, unknown> {
  const read = flags.paramsFile === undefined ? {} : paramsIn(flags.paramsFile)
  return { ...read, ...parsePairs([...(flags.param ?? []), ...assignments]) }
}

function paramsIn(file: string): Record<string, unknown> {
  const text = readFileSync(file, 'utf8')
  const isYaml = ['.yaml', '.yml'].includes(extname(file).toLowerCase())
  const content: unknown = isYaml ? parseYaml(text, file) : parseJson(text, file)
  if (typeof content === 'object' && content !== null && !Array.isArray(content))
    return content as Record<string, unknown>
  throw new CommandFailure(2, `${file} has no parameters: write one "name: value" a line, or a JSON object`)
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof YAMLParseError)
      throw new CommandFailure(2, `${file} is no YAML: ${error.message.split('\n')[0]}`)
    throw error
  }
}
