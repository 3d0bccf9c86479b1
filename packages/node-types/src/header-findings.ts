/**
 * Headers in settings.
 * @module
 */
import type { NodeFinding } from '@flow-service/connector-sdk'

const token = /^[!#$%&'*+.^_`|~\w-]+$/
/** Headers that belong to the connection (RFC 9110, sections 7.2 and 7.6; RFC 9112, section 6). */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Those of a WebSocket handshake (RFC 6455, section 11.3). */
const isOfHandshake = (name: string): boolean => /^sec-websocket-(accept|extensions|key|version)$/i.test(name)

/** Headers that carry credentials (RFC 9110, section 11; RFC 6265), and those that servers have made up for them. */
const isCredential = (name: string): boolean =>
  /^(authorization|cookie|proxy-authorization)$|(^|-)(api-?key|(access|auth|private)-(key|token)|token|secret|password)$/i.test(
    name,
  )

/** What is wrong with the setting `headers`, and which of them had better be secrets. */
export function headerFindings(headers: Readonly<Record<string, unknown>>): NodeFinding[] {
  return Object.entries(headers).flatMap(([name, value]): NodeFinding[] => {
    const message = headerFault(name, value)
    const path = `/settings/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (message !== null) return [{ code: 'bad_setting', path, message }]
    if (!isCredential(name) || typeof value !== 'string' || value === '') return []
    const advice = `the header "${name}" holds a credential that every reader of the flow sees; store it as a secret, and put {"$secret": "its name"} here`
    return [{ code: 'plain_credential', severity: 'advisory', path, message: advice }]
  })
}

function headerFault(name: string, value: unknown): string | null {
  if (!token.test(name)) return `"${name}" is no header name; use letters, digits and "-"`
  if (connectionHeaders.has(name.toLowerCase()) || isOfHandshake(name))
    return `the header "${name}" belongs to the connection; leave it out`
  return typeof value === 'string' && /[\r\n\0]/.test(value)
    ? `the header "${name}" holds a line break; remove it`
    : null
}
