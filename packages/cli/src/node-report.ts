/**
 * What live nodes say of themselves, for people: a line for each line that they print, and one for a failure.
 * @module
 */
import { stripVTControlCharacters } from 'node:util'

import type { NodeReport } from '@flow-service/api-server'

import { oneLine, printable } from './table.ts'
import { bold, dim, red } from './terminal.ts'

/** Lines about a node. What a terminal would obey is taken out or spelled out. */
export function nodeLines({ flow, node, is, text }: NodeReport): string[] {
  const place = bold(`${flow}.${node}`)
  if (is === 'failure') return [`${red('✗')} ${place}  ${red(`failed: ${oneLine(text)}`)}`]
  const lines = stripVTControlCharacters(text).trimEnd().split(/\r?\n/)
  return lines.map((line) => `${dim('›')} ${place}  ${printable(line.replaceAll('\t', '  '))}`.trimEnd())
}
