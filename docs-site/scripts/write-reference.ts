/**
 * Writes the generated pages of the site into `src/content/docs/reference`; `npm run docs` calls it first.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { commandLinePage } from './command-line.ts'
import { errorCataloguePage } from './error-catalogue.ts'
import { eventFramesPage } from './event-frames.ts'
import { limitsPage } from './limits-table.ts'
import { connectorCataloguePage, nodeCataloguePage } from './node-catalogue.ts'
import { packagePages } from './package-pages.ts'
import { pageText } from './page.ts'
import { settingsPage } from './settings-table.ts'

const target = join(import.meta.dirname, '..', 'src', 'content', 'docs', 'reference')
const sources = [
  ['packages/node-types/src', [nodeCataloguePage()]],
  ['packages/connectors', [await connectorCataloguePage()]],
  ['packages/protocol/src', [errorCataloguePage(), limitsPage(), eventFramesPage()]],
  ['packages/api-server/src/config.ts', [settingsPage()]],
  ['packages/cli/src/program.ts', [commandLinePage()]],
  ['the README of the package', packagePages()],
] as const

// Pages whose source is gone must not stay.
for (const folder of ['pages', 'packages']) rmSync(join(target, folder), { recursive: true, force: true })
let written = 0
for (const [source, pages] of sources) {
  for (const page of pages) {
    const file = join(target, `${page.path}.md`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, pageText(page, source))
    written++
  }
}
console.log(`${written} reference pages written`)
