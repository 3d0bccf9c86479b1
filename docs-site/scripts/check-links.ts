/**
 * Follows every link of the built site that stays within it; exits with 1 when a page, file or heading is missing.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '..', 'dist')
const site = 'http://site.invalid'
const pages = new Map(
  globSync('**/*.html', { cwd: dist }).map((file) => [file, readFileSync(join(dist, file), 'utf8')] as const),
)
const anchors = new Map(
  [...pages].map(([file, html]) => [file, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))]),
)

/** What is wrong with a link, or undefined. */
function fault(file: string, href: string): string | undefined {
  const target = new URL(href, `${site}/${file}`)
  if (target.origin !== site) return undefined
  const path = decodeURIComponent(target.pathname).slice(1)
  const page = path === '' || path.endsWith('/') ? `${path}index.html` : path
  if (!pages.has(page)) return existsSync(join(dist, page)) && path !== '' ? undefined : 'no such page'
  const heading = decodeURIComponent(target.hash.slice(1))
  return heading === '' || anchors.get(page)?.has(heading) ? undefined : 'no such heading'
}

const faults = new Set<string>()
for (const [file, html] of pages) {
  for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
    const found = fault(file, href.replaceAll('&#x26;', '&').replaceAll('&amp;', '&'))
    if (found !== undefined) faults.add(`${file}: ${href}: ${found}`)
  }
}
for (const line of faults) console.error(line)
console.log(faults.size === 0 ? `links of ${pages.size} pages lead somewhere` : `${faults.size} broken links`)
process.exit(faults.size === 0 ? 0 : 1)
