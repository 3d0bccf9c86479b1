/**
 * Certificates for tests: authorities, and servers that they vouch for (RFC 5280). Made anew each time, so that no key
 * lies in the repository and none expires.
 */
import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

/** A certificate with its key, both PEM. */
export interface Certified {
  readonly cert: string
  readonly key: string
}

interface Validity {
  /** Seconds from now. */
  readonly from: number
  readonly until: number
}

const HOUR_S = 3600
const now: Validity = { from: -HOUR_S, until: HOUR_S }
/** Of a certificate that was valid until a minute ago. */
export const expired: Validity = { from: -HOUR_S, until: -60 }

/** Vouches for servers. */
export class Authority {
  readonly #key: KeyObject
  readonly #name: Buffer
  /** Its own certificate, PEM. */
  readonly cert: string

  /** With names it is a server too, which vouches for itself. */
  constructor(name: string, names: readonly string[] = []) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    this.#name = nameOf(name)
    const isAuthority = extension('551d13', sequence(tlv(0x01, Buffer.from([0xff]))), true)
    this.cert = this.#sign({
      subject: this.#name,
      publicKey,
      validity: now,
      extensions: [isAuthority, ...(names.length > 0 ? [alternativeNames(names)] : [])],
    })
  }

  /** A server with the authority's own certificate. */
  itself(): Certified {
    return { cert: this.cert, key: this.#key.export({ type: 'pkcs8', format: 'pem' }).toString() }
  }

  /** A server of these names; what looks like an IPv4 address is one. */
  vouchFor(names: readonly string[], validity: Validity = now): Certified {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const subject = nameOf(names[0] ?? '')
    return {
      cert: this.#sign({ subject, publicKey, validity, extensions: [alternativeNames(names)] }),
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    }
  }

  #sign({ subject, publicKey, validity, extensions }: Signed): string {
    const content = sequence(
      tlv(0xa0, tlv(0x02, Buffer.from([2]))),
      tlv(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
      ecdsaWithSha256,
      this.#name,
      sequence(timeOf(validity.from), timeOf(validity.until)),
      subject,
      publicKey.export({ type: 'spki', format: 'der' }),
      tlv(0xa3, sequence(...extensions)),
    )
    const signature = createSign('sha256').update(content).sign(this.#key)
    const der = sequence(content, ecdsaWithSha256, tlv(0x03, Buffer.concat([Buffer.from([0]), signature])))
    const lines = der.toString('base64').match(/.{1,64}/g) ?? []
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  }
}

interface Signed {
  readonly subject: Buffer
  readonly publicKey: KeyObject
  readonly validity: Validity
  readonly extensions: readonly Buffer[]
}

/** Tag, length and value (X.690, DER). */
function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}

const sequence = (...items: readonly Buffer[]): Buffer => tlv(0x30, Buffer.concat(items))
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'))
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
const nameOf = (name: string): Buffer =>
  sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(name, 'utf8')))))

function timeOf(seconds: number): Buffer {
  const iso = new Date(Date.now() + seconds * 1000).toISOString()
  return tlv(0x17, Buffer.from(`${iso.slice(2, 19).replaceAll(/[-T:]/g, '')}Z`))
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [tlv(0x01, Buffer.from([0xff]))] : []), tlv(0x04, value))
}

const alternativeNames = (names: readonly string[]): Buffer =>
  extension('551d11', sequence(...names.map(alternativeName)))

const alternativeName = (name: string): Buffer =>
  /^[\d.]+$/.test(name) ? tlv(0x87, Buffer.from(name.split('.').map(Number))) : tlv(0x82, Buffer.from(name))
