/**
 * Devices that are known by the very certificate that they have shown first, as nobody vouches for them (wire decisions
 * G65, U10). Node types call this when they start, and give the pin to whatever connects.
 * - pinned-tls.P1 a certificate is trusted from the moment at which its fingerprint is stored; nothing is sent before.
 * - pinned-tls.P2 nodes of a process that meet an address first at the same time take turns, so that all of them trust one
 *   certificate. Of two processes the later one counts; the other one's pin is refused from its next start on.
 * @module
 */
import { createHash } from 'node:crypto'
import { Agent } from 'node:https'

import type { NodeContext } from './context.ts'
import type { CertificatePin } from './socket.ts'
import type { ConnectorStore } from './store.ts'

/** The peer shows another certificate than the one that is pinned. */
export class PinError extends Error {
  override readonly name = 'PinError'
  /** SHA-256 of the certificate that was shown, as `AB:CD:…`. */
  readonly fingerprint: string
  /** Key of the store under which the pinned one stands: without it the next certificate is pinned. */
  readonly key: string
  constructor(message: string, { fingerprint, key }: Pick<PinError, 'fingerprint' | 'key'>) {
    super(message)
    this.fingerprint = fingerprint
    this.key = key
  }
}

/** Of each key that is being paired, the turn that is last. */
const pairings = new Map<string, Promise<unknown>>()

/**
 * Trust on first use: the first certificate that is shown to this pin is stored under `cert:<address>`, by its SHA-256
 * fingerprint, and is from then on the only one that it accepts, also after it has expired. Any other is refused with a
 * {@link PinError} before anything is sent. A key that is cleared counts from the next call on, which is that of the next
 * start of the node. `address` names the device, such as `10.0.0.5:8443`, for all nodes of the package.
 *
 * Call it once and keep the result: requests with the same pin share their connections.
 * @example const pin = await pinnedTls(store, '10.0.0.5:8443')
 *   const socket = ctx.connect({ host: '10.0.0.5', port: 8443, tls: true, pin })
 *   const answer = await ctx.fetch('https://10.0.0.5:8443/status', { pin })
 */
export async function pinnedTls(store: ConnectorStore, address: string): Promise<CertificatePin> {
  const key = `cert:${address}`
  let pinned = await store.get(key)
  const compare = (fingerprint: string): void => {
    if (fingerprint === pinned) return
    const message =
      `${address} shows another certificate than the one that is pinned: its SHA-256 fingerprint is ${fingerprint}, ` +
      `the pinned one ${pinned}. If the device has a new certificate, clear the key "${key}" of the state of this node type, ` +
      'then start the flow again'
    throw new PinError(message, { fingerprint, key })
  }
  return (der) => {
    const fingerprint = fingerprintOf(der)
    if (pinned !== null) return compare(fingerprint)
    return inTurn(key, async () => {
      pinned ??= await firstOf(store, key, fingerprint)
      compare(fingerprint)
    })
  }
}

/**
 * An agent for libraries that take one as Node.js has it (`https.request`, `ws`, and others): its connections go through
 * the egress rules, and to peers that the pin accepts alone. Use one for each device, and destroy it in `stop`.
 *
 * The options `rejectUnauthorized: false` and `checkServerIdentity` of Node.js cannot do this: the first of them turns the
 * second one off.
 * @example const agent = pinnedAgent(ctx, await pinnedTls(store, '10.0.0.5:8443'))
 *   https.get('https://10.0.0.5:8443/status', { agent }, read)
 */
export function pinnedAgent({ connect }: Pick<NodeContext, 'connect'>, pin: CertificatePin): Agent {
  const agent = new Agent({ keepAlive: true })
  agent.createConnection = ({ host, port }) =>
    connect({ host: host ?? 'localhost', port: Number(port ?? 443), tls: true, pin })
  return agent
}

/** As browsers and OpenSSL show it. */
const fingerprintOf = (der: Uint8Array): string =>
  createHash('sha256').update(der).digest('hex').toUpperCase().match(/../g)?.join(':') ?? ''

/** The fingerprint that is stored then: this one, unless another one was first. */
async function firstOf(store: ConnectorStore, key: string, fingerprint: string): Promise<string> {
  const earlier = await store.get(key)
  if (earlier !== null) return earlier
  await store.set(key, fingerprint)
  return (await store.get(key)) ?? fingerprint
}

/** One after the other for each key (pinned-tls.P2). */
async function inTurn(key: string, run: () => Promise<void>): Promise<void> {
  const before = pairings.get(key)
  const turn = (async () => {
    await before?.catch(() => {})
    await run()
  })()
  pairings.set(key, turn)
  try {
    await turn
  } finally {
    if (pairings.get(key) === turn) pairings.delete(key)
  }
}
