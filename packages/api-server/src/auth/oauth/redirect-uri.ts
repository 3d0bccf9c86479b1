/**
 * Where a program may have users sent back to (RFC 8252, section 7; RFC 6749, section 3.1.2). Whoever gets at such an address
 * gets the code that is sent there.
 * @module
 */
const loopbacks: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Schemes that a browser acts on by itself. */
const ofBrowsers: ReadonlySet<string> = new Set(
  'about blob chrome data file filesystem ftp javascript mailto view-source vbscript ws wss'
    .split(' ')
    .map((scheme) => `${scheme}:`),
)

/** What is wrong with an address, and what to use instead; null when it may be used. */
export function redirectFault(uri: string): string | null {
  const url = URL.parse(uri)
  if (!url) return 'it is no absolute URI; use one such as http://127.0.0.1/callback'
  if (uri.includes('#')) return 'it has a fragment; leave that out'
  if (url.username !== '' || url.password !== '') return 'it has a user name or a password; leave those out'
  if (url.protocol === 'http:' && !loopbacks.has(url.hostname))
    return 'http is for this machine alone; use https, or 127.0.0.1 as the host'
  if (ofBrowsers.has(url.protocol)) return `the scheme "${url.protocol}" is no program's own; use https`
  return null
}
