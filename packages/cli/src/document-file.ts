/**
 * A flow document in a file. A source may stand in a file of its own: `"source": { "$file": "train.py" }`, relative to
 * the document; an engine never sees that (wire decision G64).
 * @module
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import { CommandFailure } from './failure.ts'

/** An object as it stands in the file, sources in place. Nothing else of it is checked. */
export interface FileDocument {
  readonly name?: unknown
  readonly version?: unknown
  readonly [key: string]: unknown
}

/** Reads a document; `-` is standard input. */
export function readDocument(file: string): FileDocument {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8')
  const shown = file === '-' ? 'standard input' : file
  const value = parseJson(text, shown)
  if (!isObject(value)) throw new CommandFailure(2, `${shown} holds no flow document: it has to be a JSON object`)
  const base = file === '-' ? process.cwd() : dirname(resolve(file))
  return Array.isArray(value.nodes) ? { ...value, nodes: value.nodes.map((node) => withSource(node, base)) } : value
}

/** The name of a document's flow: the wanted one, else what the document says. */
export function nameOf(document: FileDocument, wanted: string | undefined): string {
  const name = wanted ?? document.name
  if (typeof name === 'string') return name
  throw new CommandFailure(2, 'the document has no name; give "name" in it, or --name')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What JSON says; `shown` is how the failure names the text. */
export function parseJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const [, position] = /at position (\d+)/.exec(message) ?? []
    const [reason = ''] = message.split(/,? (?:"|\.\.\."|in JSON at|at position)/, 1)
    throw new CommandFailure(
      1,
      `${placeIn(text, position ? Number(position) : firstNoToken(text), shown)}: no JSON: ${reason}`,
    )
  }
}

const tokens = /(?:\s|[{}[\],:]|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)*/iy

/** Where a text begins to be no JSON, which not every error says; null when only the order of its parts is wrong. */
function firstNoToken(text: string): number | null {
  tokens.lastIndex = 0
  tokens.test(text)
  return tokens.lastIndex < text.length ? tokens.lastIndex : null
}

function placeIn(text: string, position: number | null, shown: string): string {
  if (position === null) return shown
  const lines = text.slice(0, position).split('\n')
  return `${shown}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
}

function withSource(node: unknown, base: string): unknown {
  if (!isObject(node) || !isObject(node.source)) return node
  const { $file: file, ...more } = node.source
  if (typeof file !== 'string' || Object.keys(more).length > 0) return node
  return { ...node, source: readFileSync(resolve(base, file), 'utf8') }
}
