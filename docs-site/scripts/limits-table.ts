/**
 * The page of limits: the constants of the protocol with the sentences above them.
 * @module
 */
import { readFileSync } from 'node:fs'

import * as protocol from '../../packages/protocol/src/index.ts'
import { code, type Page, table } from './page.ts'

const source = new URL('../../packages/protocol/src/limits.ts', import.meta.url)
const declaration = /^\/\*\* (?<about>.+) \*\/\nexport const (?<name>[A-Z_]+) =/gm

/** Every limit that client, engine and worker agree on. */
export function limitsPage(): Page {
  const rows = [...readFileSync(source, 'utf8').matchAll(declaration)].map(({ groups = {} }) => {
    const { about = '', name = '' } = groups
    // the decision that a limit comes from is no news to a reader
    const value = (protocol as Readonly<Record<string, unknown>>)[name]
    if (typeof value !== 'number')
      throw new Error(`the protocol exports no number ${name}; the page of limits needs it`)
    return [about.replace(/ \(G\d+\)\.$/, '.'), code(value.toLocaleString('en')), code(name)]
  })
  return {
    path: 'pages/limits',
    title: 'Limits',
    description: 'Limits that client, engine and worker agree on.',
    order: 4,
    body: [
      'Byte counts are of UTF-8 text. Limits that can be set are on the page of [settings](../settings/).',
      '',
      table(['Limit', 'Value', 'Constant of `@flow-service/protocol`'], rows),
    ].join('\n'),
  }
}
