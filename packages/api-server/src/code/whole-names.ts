/**
 * Source maps of bundles as debuggers need them: a bundle is the same on every machine and names files from the root of its
 * project, while an editor looks for them where they are.
 * @module
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const inline = /(?<=\n\/\/# sourceMappingURL=data:application\/json;base64,)[\w+/=]+(?=\n$)/

/** The text of a bundle whose inline source map has the addresses of its files below `root`. */
export const withWholeNames = (bundle: string, root: string): string =>
  bundle.replace(inline, (text) => {
    const map = JSON.parse(Buffer.from(text, 'base64').toString()) as { sources: string[] }
    const sources = map.sources.map((source) => pathToFileURL(resolve(root, source)).href)
    return Buffer.from(JSON.stringify({ ...map, sources })).toString('base64')
  })
