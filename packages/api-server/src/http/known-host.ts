/**
 * Names under which the service is reached. A page of another site can give its own name the address of the service, and is
 * then, to a browser, a page of the service; an address cannot be given away like that.
 * @module
 */
import { isIP } from 'node:net'

/** What the configuration says about them. */
export interface KnownHosts {
  readonly baseUrl: string | null
  readonly publicUrl: string | null
  /** What the service listens on. */
  readonly host: string
}

/** Whether an origin, such as `http://hub:8000`, is this machine, an address, or a name of the configuration. */
export function isKnownHost(origin: string, { baseUrl, publicUrl, host }: KnownHosts): boolean {
  if (!URL.canParse(origin)) return false
  const { hostname } = new URL(origin)
  const names = [baseUrl, publicUrl].flatMap((url) => (url === null ? [] : new URL(url).hostname))
  return (
    hostname === 'localhost' || isIP(hostname.replaceAll(/^\[|\]$/g, '')) !== 0 || [...names, host].includes(hostname)
  )
}
