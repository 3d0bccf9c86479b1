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

/** What is wrong with the setting `headers`. */
export function headerFindings(headers: Readonly<Record<string, unknown>>): NodeFinding[] {
  return Object.entries(headers).flatMap(([name, value]): NodeFinding[] => {
    const message = headerFault(name, value)
    const path = `/settings/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return message === null ? [] : [{ code: 'bad_setting', path, message }]
  })
}

function headerFault(name: string, value: unknown): string | null {
  if (!token.test(name)) return `"${name}" is no header name`
  if (connectionHeaders.has(name.toLowerCase()) || isOfHandshake(name))
    return `the header "${name}" belongs to the connection; leave it out`
  return typeof value === 'string' && /[\r\n\0]/.test(value)
    ? `the header "${name}" holds a line break; remove it`
    : null
}
