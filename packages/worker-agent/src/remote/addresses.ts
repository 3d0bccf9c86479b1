/**
 * Where a worker sends its token: the socket to attach to, and the artifacts beside it. Neither may be reached in the
 * clear on another machine (wire decision G58).
 * @module
 */
import { InvalidOption } from './invalid-option.ts'

const ATTACH = '/workers/attach'

/** What a worker is told of its engine. */
export interface AddressOptions {
  /** `ws:` or `wss:`; ends in `/workers/attach` unless `artifactUrl` is given. */
  readonly url: string
  /** `http:` or `https:`; beside `url` unless given. */
  readonly artifactUrl?: string | undefined
  /** Allows connections in the clear to other machines. */
  readonly insecure?: boolean | undefined
}

/** Both addresses, checked. */
export interface Addresses {
  readonly attach: URL
  /** Without a slash at its end. */
  readonly artifacts: string
}

/** Throws an {@link InvalidOption} for an address that is none, and for one that would show the token to a network. */
export function addressesOf({ url, artifactUrl, insecure = false }: AddressOptions): Addresses {
  const attach = parsed('--url', url, 'wss:')
  const artifacts = parsed('--artifact-url', artifactUrl ?? besides(attach), 'https:')
  if (!insecure) {
    mustBeSafe('--url', attach, 'wss:')
    mustBeSafe('--artifact-url', artifacts, 'https:')
  }
  return { attach, artifacts: artifacts.href.replace(/\/+$/, '') }
}

function besides({ protocol, host, pathname }: URL): string {
  if (!pathname.endsWith(ATTACH)) {
    throw new InvalidOption(
      `--url ends in ${ATTACH}, as in wss://flows.example.com/api/v1${ATTACH}; where it does not, give --artifact-url too`,
    )
  }
  return `${protocol === 'wss:' ? 'https:' : 'http:'}//${host}${pathname.slice(0, -ATTACH.length)}/artifacts`
}

function parsed(option: string, text: string, secure: 'wss:' | 'https:'): URL {
  const url = URL.parse(text)
  const schemes = [secure, secure.replace('s:', ':')]
  if (!url || !schemes.includes(url.protocol)) {
    throw new InvalidOption(`${option} begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidOption(`${option} holds no user or password: the worker's token is its only credential`)
  }
  if (url.search !== '' || url.hash !== '') throw new InvalidOption(`${option} has nothing after its path`)
  return url
}

function mustBeSafe(option: string, url: URL, secure: string): void {
  if (url.protocol === secure || isLoopback(url.hostname)) return
  throw new InvalidOption(
    `${option} ${url.href} would send the worker's token in the clear to another machine: use ${secure}//, or give ` +
      '--insecure where the network itself is trusted',
  )
}

/** Whether a host is this machine. Hosts are as the URL parser writes them: addresses in their usual form, names in lower case. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
