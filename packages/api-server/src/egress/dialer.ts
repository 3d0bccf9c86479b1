/**
 * The one way out for nodes: every connection of theirs is made here, whatever it speaks. An address is judged before it
 * is connected to, also one that a name stands for, and the peer again once it is connected; nothing is sent before.
 * @module
 */
import { lookup as systemLookup } from 'node:dns'
import { connect as connectPlain, isIP, type LookupFunction, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

import type { ConnectTarget } from '@flow-service/connector-sdk'

import type { AddressRules } from './address-rules.ts'

/** Nodes may not connect to an address. */
class EgressRefusal extends Error {
  override readonly name = 'EgressRefusal'
}

/** Opens a connection; what goes wrong is an `error` event. */
export type Dial = (target: ConnectTarget) => Socket

/** What a dialer needs. */
export interface DialerParts {
  readonly rules: Pick<AddressRules, 'refusal'>
  /** The system's resolver unless given. */
  readonly lookup?: LookupFunction
}

/** Makes connections that keep to the rules. Small packets leave at once. */
export function createDialer({ rules, lookup = systemLookup as LookupFunction }: DialerParts): Dial {
  return ({ host, port, tls = false }) => {
    const name = host.replace(/^\[(.*)\]$/, '$1')
    const refusal = isIP(name.split('%', 1)[0] ?? '') === 0 ? null : rules.refusal(name, port)
    if (refusal !== null) return refused(host, refusal)
    const options = { host: name, port, noDelay: true, lookup: guarded(rules, lookup, port) }
    const socket = tls
      ? connectTls({ ...options, ...(isIP(name) === 0 ? { servername: name } : {}), ALPNProtocols: ['http/1.1'] })
      : connectPlain(options)
    socket.cork()
    socket.once('connect', () => {
      const found = rules.refusal(socket.remoteAddress ?? '', port)
      if (found !== null) socket.destroy(new EgressRefusal(textOf(host, found)))
    })
    socket.once(tls ? 'secureConnect' : 'connect', () => socket.uncork())
    return socket
  }
}

const textOf = (host: string, reason: string): string => `nodes may not connect to ${host}: ${reason}`

function refused(host: string, reason: string): Socket {
  const socket = new Socket()
  socket.destroy(new EgressRefusal(textOf(host, reason)))
  return socket
}

/** Leaves the addresses out that nobody may connect to. */
function guarded(rules: DialerParts['rules'], lookup: LookupFunction, port: number): LookupFunction {
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
