/**
 * Source maps of bundles as debuggers need them: a bundle is the same on every machine, names files from the root of its
 * project and has none of their text, while an editor looks for them where they are, and a browser cannot read them.
 * @module
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const inline = /(?<=\n\/\/# sourceMappingURL=data:application\/json;base64,)[\w+/=]+(?=\n$)/

/** The text of a bundle whose inline source map has the addresses of its files below `root`, and their texts. */
export const withWholeNames = (bundle: string, root: string): string =>
  bundle.replace(inline, (text) => {
    const map = JSON.parse(Buffer.from(text, 'base64').toString()) as { sources: string[] }
    const files = map.sources.map((source) => resolve(root, source))
    const sources = files.map((file) => pathToFileURL(file).href)
    const sourcesContent = files.map(textOf)
    return Buffer.from(JSON.stringify({ ...map, sources, sourcesContent })).toString('base64')
  })

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null // it is no file, or gone since
  }
}
