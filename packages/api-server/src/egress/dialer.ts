/**
 * The one way out for nodes: every connection of theirs is made here, whatever it speaks. An address is judged before it
 * is connected to, also one that a name stands for, and the peer again once it is connected; nothing is sent before.
 * @module
 */
import { lookup as systemLookup } from 'node:dns'
import { connect as connectPlain, isIP, type LookupFunction, Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, type SecureContext } from 'node:tls'

import type { ConnectTarget } from '@flow-service/connector-sdk'

import type { AddressRules } from './address-rules.ts'
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
}

/** Makes connections that keep to the rules. Small packets leave at once. */
export function createDialer({
  rules,
  lookup = systemLookup as LookupFunction,
  trust = systemTrust,
}: DialerDeps): Dial {
  return ({ host, port, tls = false, protocols = [] }) => {
    const name = host.replace(/^\[(.*)\]$/, '$1')
    const refusal = isIP(name.split('%', 1)[0] ?? '') === 0 ? null : rules.refusal(name, port)
    if (refusal !== null) return refused(host, refusal)
    const options = { host: name, port, noDelay: true, lookup: guarded(rules, lookup, port) }
    const socket = tls ? connectTls({ ...options, ...tlsOptions(name, protocols, trust()) }) : connectPlain(options)
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

const tlsOptions = (name: string, protocols: string[], secureContext?: SecureContext): ConnectionOptions => ({
  ...(isIP(name) === 0 ? { servername: name } : {}),
  ...(secureContext && { secureContext }),
  ...(protocols.length > 0 ? { ALPNProtocols: protocols } : {}),
})

function explain(error: Error, where: string): void {
  error.message = trustFault(error, where) ?? error.message
}

const textOf = (host: string, reason: string): string => `nodes may not connect to ${host}: ${reason}`

function refused(host: string, reason: string): Socket {
  const socket = new Socket()
  socket.destroy(new EgressRefusal(textOf(host, reason)))
  return socket
}

/** Leaves the addresses out that nobody may connect to. */
function guarded(rules: DialerDeps['rules'], lookup: LookupFunction, port: number): LookupFunction {
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
