/**
 * The one way out for nodes: every connection of theirs is made here, whatever it speaks. An address is judged before it
 * is connected to, also one that a name stands for, and the peer again once it is connected; nothing is sent before.
 * @module
 */
import { lookup as systemLookup } from 'node:dns'
import { connect as connectPlain, isIP, type LookupFunction, Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls'

import type { ConnectTarget } from '@flow-service/connector-sdk'

import type { AddressRules } from './address-rules.ts'
import { holdForPin, pinFault, pinnedOptions } from './pinned-connection.ts'
import { systemTrust, type Trust, trustFault } from './trust.ts'

/** Nodes may not connect to an address. */
class EgressRefusal extends Error {
  override readonly name = 'EgressRefusal'
}

/** Where to, and over TLS what is spoken there (ALPN, RFC 7301); unless given nothing is said of that. */
interface DialTarget extends ConnectTarget {
  readonly protocols?: string[]
}

/** Opens a connection; what goes wrong is an `error` event. */
export type Dial = (target: DialTarget) => Socket

/** Rules and sources that a dialer keeps to. */
export interface DialerDeps {
  readonly rules: Pick<AddressRules, 'refusal'>
  /** The system's resolver unless given. */
  readonly lookup?: LookupFunction
  /** Whose certificates are believed; those that Node.js knows unless given. */
  readonly trust?: Trust
  /** Whose connections these are, for refusals; those of nodes unless given. */
  readonly who?: string
}

/** Makes connections that keep to the rules. Small packets leave at once. */
export function createDialer({
  rules,
  lookup = systemLookup as LookupFunction,
  trust = systemTrust,
  who = 'nodes',
}: DialerDeps): Dial {
  const textOf = (host: string, reason: string): string => `${who} may not connect to ${host}: ${reason}`
  return ({ host, port, tls = false, protocols = [], pin }) => {
    const name = host.replace(/^\[(.*)\]$/, '$1')
    const refusal = isIP(name.split('%', 1)[0] ?? '') === 0 ? null : rules.refusal(name, port)
    if (refusal !== null) return failed(new EgressRefusal(textOf(host, refusal)))
    if (pin !== undefined) {
      const fault = pinFault(pin, tls, `${host}:${port}`)
      if (fault !== null) return failed(fault)
    }
    const options = { host: name, port, noDelay: true, lookup: guarded({ rules, lookup, port, textOf }) }
    const secured = (more: ConnectionOptions = {}): TLSSocket =>
      connectTls({ ...options, ...tlsOptions(name, protocols), ...more })
    const socket = !tls
      ? connectPlain(options)
      : pin === undefined
        ? secured(believing(trust()))
        : holdForPin(secured(pinnedOptions()), pin, `${host}:${port}`)
    // the first to hear of it: everybody else gets it in words that help
    if (tls) socket.once('error', (error) => explain(error, `${host}:${port}`))
    socket.cork()
    socket.once('connect', () => {
      const found = rules.refusal(socket.remoteAddress ?? '', port)
      if (found !== null) socket.destroy(new EgressRefusal(textOf(host, found)))
    })
    socket.once(tls ? 'secureConnect' : 'connect', () => socket.uncork())
    return socket
  }
}

const believing = (secureContext?: SecureContext): ConnectionOptions => (secureContext ? { secureContext } : {})

const tlsOptions = (name: string, protocols: string[]): ConnectionOptions => ({
  ...(isIP(name) === 0 ? { servername: name } : {}),
  ...(protocols.length > 0 ? { ALPNProtocols: protocols } : {}),
})

function explain(error: Error, where: string): void {
  error.message = trustFault(error, where) ?? error.message
}

function failed(error: Error): Socket {
  const socket = new Socket()
  socket.destroy(error)
  return socket
}

interface GuardDeps {
  readonly rules: DialerDeps['rules']
  readonly lookup: LookupFunction
  readonly port: number
  readonly textOf: (host: string, reason: string) => string
}

/** Leaves the addresses out that nobody may connect to. */
function guarded({ rules, lookup, port, textOf }: GuardDeps): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }]
      const judged = addresses.map((each) => ({ ...each, refusal: rules.refusal(each.address, port) }))
      const [first, ...more] = judged.filter(({ refusal }) => refusal === null)
      if (first === undefined) {
        const reason = judged[0]?.refusal ?? 'the name has no address'
        return callback(new EgressRefusal(textOf(host, reason)), [])
      }
      if (options.all) callback(null, [first, ...more])
      else callback(null, first.address, first.family)
    })
  }
}
