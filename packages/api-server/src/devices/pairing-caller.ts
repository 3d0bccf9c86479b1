/**
 * Where a request of pairing comes from (wire decisions G43, G59): who is near may adopt a device without its code, and
 * strangers do not push out those who are near.
 * @module
 */
import { BlockList, isIP, isIPv4 } from 'node:net'

import { isForwarded, isLoopbackAddress, networkOf } from '../http/address.ts'
import type { RequestFacts } from '../http/endpoint.ts'

/** The side that a request is counted with: private and loopback addresses, or everything else. */
type PairingSide = 'lan' | 'outside'

/** Where a request comes from. */
export interface PairingCaller {
  /** By which attempts are counted: an IPv4 address, or 64 bits of an IPv6 address. */
  readonly address: string
  readonly portal: boolean
  readonly side: PairingSide
  /** What callers of one network have in common; null where that cannot be told, so that it is the same as no other. */
  readonly network: string | null
}

/** What tells callers apart. */
export interface PairingCallersDeps {
  readonly isPortal: (request: Pick<RequestFacts, 'headers'>) => boolean
  /** How many reverse proxies stand before the service. */
  readonly trustProxy: number
}

const near = new BlockList()
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  near.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of [
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  near.addSubnet(net, bits, 'ipv6')

/**
 * Tells where a request comes from, by its connection, or by the proxies that are declared. Behind a proxy that is not,
 * everybody has the address of that: such callers are of no network (pairing.P8).
 */
export const pairingCallers =
  ({ isPortal, trustProxy }: PairingCallersDeps) =>
  (request: Pick<RequestFacts, 'address' | 'headers'>): PairingCaller => {
    if (isPortal(request)) {
      const claimed = String(request.headers['x-forwarded-for'] ?? '').split(',')
      return { address: networkOf((claimed.at(-1) ?? '').trim()), portal: true, side: 'outside', network: null }
    }
    const address = networkOf(request.address)
    const plain = isIPv4(address) ? address : (request.address.split('%')[0] ?? '')
    const isHere = isLoopbackAddress(plain)
    const isConcealed = trustProxy === 0 && isForwarded(request)
    return {
      address,
      portal: false,
      side: isHere || isNear(plain) ? 'lan' : 'outside',
      network: isConcealed || isIP(plain) === 0 ? null : isHere ? 'loopback' : subnetOf(address),
    }
  }

/** The first 24 bits of an IPv4 address; of an IPv6 one the first 64, which is all that is left of it. */
const subnetOf = (address: string): string => (isIPv4(address) ? address.slice(0, address.lastIndexOf('.')) : address)

const isNear = (address: string): boolean =>
  isIP(address) !== 0 && near.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
