/**
 * Where a request comes from.
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

import type { RequestHandler } from 'express'

import { ProblemError } from './errors.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether an address is of this machine itself. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

const forwarding = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host']

/** Whether the host name of a URL is this machine itself. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === 'localhost' || isLoopbackAddress(hostname.replaceAll(/[[\]]/g, ''))

/** Whether somebody says that a request was forwarded, believed or not. */
export const isForwarded = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  forwarding.some((name) => headers[name] !== undefined)

/** Whether a request comes from this machine itself: by its connection, and not through a proxy on this machine. */
export function isLoopback(request: IncomingMessage): boolean {
  const address = request.socket.remoteAddress
  if (address === undefined || isForwarded(request)) return false
  return isLoopbackAddress(address)
}

/**
 * Refuses a request that names two hosts (RFC 9112, section 3.2): a proxy may go by the one, and the engine by the other.
 */
export function checkHost({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  let hosts = 0
  // names and values by turns: an object of all headers would cost more than the rest of the check
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1
  }
  if (hosts > 1) throw new ProblemError('bad_request', 'send one Host header, not several')
}

const HOST = 'host'

/** {@link checkHost}, before anything answers. */
export const oneHost: RequestHandler = (request, _response, next) => {
  checkHost(request)
  next()
}

/**
 * Address of the client behind `proxies` reverse proxies, each of which appends the peer it saw to
 * `X-Forwarded-For`; what stands before those entries is the client's own claim and not believed.
 */
export function clientAddress(request: IncomingMessage, proxies: number): string {
  const claimed = listOf(request.headers['x-forwarded-for'])
  const chain = [...claimed, request.socket.remoteAddress ?? '']
  return chain[Math.max(0, chain.length - 1 - proxies)] ?? ''
}

/** An IPv4 address, also one written as IPv6; of an IPv6 address the first 64 bits, which one household shares. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const before = head.split(':').filter((group) => group !== '')
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4).join(':')
}

/** `https://host` as the client wrote it; the proxies' word for the scheme and host counts when there are any. */
export function originOf(request: IncomingMessage, proxies: number): string {
  const { headers } = request
  const forwarded = (name: string) => (proxies > 0 ? listOf(headers[name]).at(-1) : undefined)
  const scheme = forwarded('x-forwarded-proto') ?? ('encrypted' in request.socket ? 'https' : 'http')
  return `${scheme}://${forwarded('x-forwarded-host') ?? headers.host ?? 'localhost'}`
}

const listOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
