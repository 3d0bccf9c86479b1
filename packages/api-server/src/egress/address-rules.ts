/**
 * Where nodes may connect to. Never to the metadata services of clouds, which hand credentials to whoever asks, and never
 * to this engine's own ports. In production to no private network either, unless the configuration allows it.
 * @module
 */
import type { Server } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

import { formsOf } from './ip-address.ts'

/** Addresses of metadata services: AWS, Azure, Google, Oracle; containers of AWS; Alibaba; the wire server of Azure. */
const metadata = networks(
  '169.254.169.254/32',
  '169.254.170.0/24',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
)

/** What is no public address (IANA, special-purpose address registries). */
const special = networks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
)
/** Public IPv6 addresses, and IPv4 ones behind a translator. */
const global = networks('2000::/3', '64:ff9b::/96')
const own = networks('127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128')

/** How addresses are judged. */
export interface AddressRulesOptions {
  readonly isProduction: boolean
  /** Networks, such as `10.0.0.0/8`, and addresses that may be reached in production though they are private. */
  readonly allow: readonly string[]
}

/** Whether a text is an address or a network of the configuration. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** One object an engine. */
export class AddressRules {
  readonly #isProduction: boolean
  readonly #allowed: BlockList
  readonly #servers = new Set<Server>()

  constructor({ isProduction, allow }: AddressRulesOptions) {
    this.#isProduction = isProduction
    this.#allowed = networks(...allow)
  }

  /** The engine answers on this server: nodes do not reach it. The result takes that back. */
  protect(server: Server): () => void {
    this.#servers.add(server)
    return () => void this.#servers.delete(server)
  }

  /** The same for addresses that the operator has written down: networks are open to them that nodes have no business in. */
  get ofOperator(): Pick<AddressRules, 'refusal'> {
    return { refusal: (address, port) => this.#refusalForAll(address, port) }
  }

  /** Why nobody may connect to an IP address, null when one may. What it says tells nothing of who listens there. */
  refusal(address: string, port: number): string | null {
    const refused = this.#refusalForAll(address, port)
    if (refused !== null) return refused
    const forms = formsOf(address)
    if (!this.#isProduction || forms.some((form) => has(this.#allowed, form)) || forms.every(isPublic)) return null
    return `${address} is in a private network, which SERVICE_EGRESS_ALLOW does not name`
  }

  #refusalForAll(address: string, port: number): string | null {
    const forms = formsOf(address)
    if (forms.some((form) => has(metadata, form))) return `${address} is the address of a metadata service`
    return this.#isOwnPort(port) && forms.some(isOwn) ? `port ${port} is the engine's own` : null
  }

  #isOwnPort(port: number): boolean {
    return [...this.#servers].some((server) => {
      const address = server.address()
      return typeof address === 'object' && address?.port === port
    })
  }
}

function networks(...list: readonly string[]): BlockList {
  const blocks = new BlockList()
  for (const each of list) {
    const [address = '', bits] = each.split('/')
    const type = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    blocks.addSubnet(address, bits === undefined ? (type === 'ipv4' ? 32 : 128) : Number(bits), type)
  }
  return blocks
}

const has = (list: BlockList, address: string): boolean => list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

const isPublic = (address: string): boolean =>
  !has(special, address) && (isIP(address) === 4 || has(global, address) || formsOf(address).length > 1)

function isOwn(address: string): boolean {
  if (has(own, address)) return true
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return interfaces.some((each) => formsOf(each.address)[0] === address)
}
