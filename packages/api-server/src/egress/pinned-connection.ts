/**
 * Connections whose peer is accepted by a pin, which gets its certificate, and by nothing else (egress.E8).
 * @module
 */
import { constants } from 'node:crypto'
import { type ConnectionOptions, createSecureContext, type TLSSocket } from 'node:tls'

import type { CertificatePin } from '@flow-service/connector-sdk'

/** Why a connection can have no such pin; null when it can. */
export function pinFault(pin: unknown, tls: boolean, where: string): TypeError | null {
  if (typeof pin !== 'function') return new TypeError(`the pin for ${where} is no function; give one, or leave it out`)
  if (!tls) return new TypeError(`${where} shows no certificate that a pin could accept; set tls, or leave the pin out`)
  return null
}

/** Nobody vouches for the peer, and it cannot show another certificate later. */
export const pinnedOptions = (): ConnectionOptions => ({
  rejectUnauthorized: false,
  secureContext: createSecureContext({ ca: [], secureOptions: constants.SSL_OP_NO_RENEGOTIATION }),
})

/** A connection that sends nothing before its pin has accepted the peer, and ends when it refuses it. */
export function holdForPin(socket: TLSSocket, pin: CertificatePin, where: string): TLSSocket {
  const release = holdWrites(socket)
  const refuse = (error: unknown): void =>
    void socket.destroy(error instanceof Error ? error : new Error(String(error)))
  socket.once('secureConnect', () => {
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) return refuse(new Error(`${where} shows no certificate`))
    try {
      const decision = pin(certificate.raw)
      if (decision === undefined) release()
      else if (decision instanceof Promise) decision.then(release, refuse)
      else refuse(new TypeError(`the pin for ${where} answers a value; it accepts by nothing, and refuses by an error`))
    } catch (error) {
      refuse(error)
    }
  })
  return socket
}

type Done = (error?: Error | null) => void

/**
 * Keeps what is written, and the end, from the connection; the result lets it go. Being corked does not keep it back: the end
 * of a stream takes its corks off.
 */
function holdWrites(socket: TLSSocket): () => void {
  const held: { readonly go: () => void; readonly done: Done }[] = []
  const hold = (go: (done: Done) => void, done: Done): void => void held.push({ go: () => go(done), done })
  const [write, writev, final] = [socket._write.bind(socket), socket._writev?.bind(socket), socket._final.bind(socket)]
  const own: Pick<TLSSocket, '_final' | '_write' | '_writev'> = {
    _write: (chunk, encoding, done) => hold((then) => write(chunk, encoding, then), done),
    _writev: (chunks, done) => hold((then) => writev?.(chunks, then), done),
    _final: (done) => hold((then) => final(then), done),
  }
  Object.assign(socket, own)
  socket.once('close', () => {
    for (const { done } of held.splice(0)) done(new Error('the connection has ended before its peer was accepted'))
  })
  return () => {
    for (const name of Object.keys(own)) Reflect.deleteProperty(socket, name)
    for (const { go } of held.splice(0)) go()
  }
}
