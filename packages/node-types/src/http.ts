/**
 * `http`: a webhook when it has outputs only, a sender of requests when it has inputs (wire decision G68).
 * @module
 */
import { defineNode, type NodeFinding, type NodePort, type NodeShape } from '@flow-service/connector-sdk'

import { startSender } from './http-sender.ts'
import { type HttpSettings, httpSettings, routeOf } from './http-settings.ts'
import { startWebhook } from './http-webhook.ts'

type Shape = NodeShape<HttpSettings>

const isSender = ({ inputs }: { readonly inputs: readonly NodePort[] }): boolean => inputs.length > 0

/** Receives requests, or sends them. */
export const httpNode = defineNode({
  type: 'http',
  title: 'HTTP',
  description:
    'With outputs only: a webhook while the flow runs. With inputs: requests a URL and publishes the answer.',
  category: 'network',
  settings: httpSettings,
  modes: (shape) => (isSender(shape) ? ['live', 'batch'] : ['live']),
  arrival: 'combine',
  idempotent: (shape) => !isSender(shape) || shape.settings.method === 'GET',
  check: (shape) => (isSender(shape) ? checkSender(shape) : checkWebhook(shape)),
  claims: (shape) => (isSender(shape) ? [] : [`webhook /${routeOf(shape.settings)}`]),
  start: (ctx) => (isSender(ctx) ? startSender(ctx) : startWebhook(ctx)),
})

const bad = (setting: string, message: string): NodeFinding => ({
  code: 'bad_setting',
  path: `/settings/${setting}`,
  message,
})

/** Segments of a route, `/` between them: characters that need no escape in a URL (RFC 3986, section 2.3). */
const route = /^\/?[A-Za-z0-9._~-]+(\/[A-Za-z0-9._~-]+)*$/

function checkWebhook({ settings: { url, secret }, outputs }: Shape): NodeFinding[] {
  const findings: NodeFinding[] = []
  if (outputs.length === 0)
    findings.push({
      code: 'unsupported_ports',
      message: 'an http node needs ports: outputs alone make a webhook, inputs make a request',
    })
  if (!route.test(url) || url.split('/').some((part) => part === '.' || part === '..'))
    findings.push(bad('url', `"${url}" is no route of a webhook; use a path like "alerts" or "plant/alerts"`))
  if (secret === null)
    findings.push({
      code: 'webhook_without_secret',
      severity: 'advisory',
      path: '/settings/secret',
      message: 'anyone who reaches the engine can post to this webhook; set a secret',
    })
  return findings
}

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

function checkSender({ settings: { url, headers } }: Shape): NodeFinding[] {
  const findings: NodeFinding[] = []
  const target = URL.parse(url)
  if (!target || !/^https?:$/.test(target.protocol))
    findings.push(bad('url', `"${url}" is no address to request; use a full http:// or https:// URL`))
  else if (target.username || target.password)
    findings.push(bad('url', 'the URL holds a user name or password; send them as a header with a secret reference'))
  for (const [name, value] of Object.entries(headers)) {
    const pointer = `headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (!token.test(name)) findings.push(bad(pointer, `"${name}" is no header name`))
    else if (connectionHeaders.has(name.toLowerCase()))
      findings.push(bad(pointer, `the header "${name}" belongs to the connection; leave it out`))
    else if (typeof value === 'string' && /[\r\n\0]/.test(value))
      findings.push(bad(pointer, `the header "${name}" holds a line break; remove it`))
  }
  return findings
}
