/**
 * Whose certificates nodes believe: the authorities that Node.js knows (with those of `NODE_EXTRA_CA_CERTS`), and those
 * of the file that `SERVICE_CA_FILE` names. And what is said of a certificate that they do not believe.
 * @module
 */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
// a name that an older Node lacks would keep the package from being loaded, and from saying so
import * as tls from 'node:tls'

import { ConfigError } from '../process/setting.ts'

/** The context of connections that nodes make; undefined stands for what Node.js does by itself. */
export type Trust = () => tls.SecureContext | undefined

/** Trusts the authorities that Node.js knows. */
export const systemTrust: Trust = () => undefined

/**
 * Trusts the certificates of a PEM file too, for the first connection that needs them. Throws `ConfigError` for a file
 * that cannot be read or holds none.
 */
export async function loadTrust(path: string | null): Promise<Trust> {
  if (path === null) return systemTrust
  const own = certificatesIn(await contentOf(path), path)
  let context: tls.SecureContext | null = null
  return () => (context ??= tls.createSecureContext({ ca: [...tls.getCACertificates('default'), ...own] }))
}

async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`SERVICE_CA_FILE is "${path}", which cannot be read (${(error as Error).message})`)
  }
}

function certificatesIn(text: string, path: string): string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (!found.every(isCertificate) || found.length === 0)
    throw new ConfigError(`SERVICE_CA_FILE is "${path}": use a file of certificates in PEM, which that is not`)
  return found
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Codes of OpenSSL for a chain that ends at nobody who is trusted (`openssl verify`, diagnostics). */
const untrusted: ReadonlySet<string> = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
const advice: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired; renew it there',
  CERT_NOT_YET_VALID: 'is not valid yet; compare the clocks of both machines',
  CERT_REVOKED: 'was revoked; renew it there',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is one of another name; connect by a name that it holds',
}

/** Why a handshake has failed, for `host:port`, and what to do; null when it was not for the certificate. */
export function trustFault(error: Error, where: string): string | null {
  const { code = '' } = error as { code?: string }
  if (untrusted.has(code))
    return (
      `the certificate of ${where} is not trusted (${error.message}): name a file with the certificate of its authority ` +
      'in SERVICE_CA_FILE, then start the engine again'
    )
  if (Object.hasOwn(advice, code)) return `the certificate of ${where} ${advice[code]} (${error.message})`
  // what a server answers that does not speak TLS, or not with us
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return `${where} does not speak TLS there; use another port, or an address without TLS`
  return null
}
