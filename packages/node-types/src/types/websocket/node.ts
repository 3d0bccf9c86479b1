/**
 * `websocket`: a client of a server, or a socket that the engine serves; the URL decides (wire decision G69).
 * @module
 */
import { defineNode, type NodeFinding, type NodeShape } from '@flow-service/connector-sdk'

import { headerFindings } from '../../header-findings.ts'
import { jsonKeyFindings } from '../../payload-values.ts'
import { routeFault } from '../../route-path.ts'
import { shownAddress } from '../../shown-address.ts'
import { startClient } from './client.ts'
import { startServed } from './served.ts'
import { isClient, routeOf, type WebsocketSettings, websocketSettings } from './settings.ts'

type Shape = NodeShape<WebsocketSettings>

/** Sends inputs as frames, and emits what frames carry. */
export const websocketNode = defineNode({
  type: 'websocket',
  title: 'WebSocket',
  description: 'Connects to a ws:// or wss:// URL, or serves a socket at a path while the flow runs.',
  category: 'network',
  settings: websocketSettings,
  modes: ({ inputs, outputs, settings }) =>
    isClient(settings) && inputs.length > 0 && outputs.length === 0 ? ['live', 'batch'] : ['live'],
  arrival: 'combine',
  idempotent: ({ inputs }) => inputs.length === 0,
  check: (shape) => [
    ...portFindings(shape),
    ...(isClient(shape.settings) ? checkClient(shape) : checkServed(shape)),
    ...jsonKeyFindings(shape),
  ],
  claims: ({ settings }) => (isClient(settings) ? [] : [`socket /${routeOf(settings)}`]),
  start: (ctx) => (isClient(ctx.settings) ? startClient(ctx) : startServed(ctx)),
})

const bad = (setting: string, message: string): NodeFinding => ({
  code: 'bad_setting',
  path: `/settings/${setting}`,
  message,
})

function portFindings({ inputs, outputs }: Shape): NodeFinding[] {
  if (inputs.length + outputs.length > 0) return []
  const message = 'a websocket node needs ports; inputs are sent as frames, outputs emit what comes'
  return [{ code: 'unsupported_ports', message }]
}

function checkClient({ settings: { url, headers } }: Shape): NodeFinding[] {
  const target = URL.parse(url)
  if (!target || !/^wss?:$/.test(target.protocol))
    return [
      bad(
        'url',
        `"${shownAddress(url)}" is no socket; use a ws:// or wss:// URL to connect, or a path like "/ticker" to serve`,
      ),
    ]
  const findings = headerFindings(headers)
  if (target.username || target.password)
    findings.push(bad('url', 'the URL holds a user name or password; send them as a header with a secret reference'))
  if (target.hash) findings.push(bad('url', 'the URL of a socket has no fragment; leave out what follows "#"'))
  return findings
}

function checkServed({ settings: { url, headers, on_connect, secret } }: Shape): NodeFinding[] {
  const findings: NodeFinding[] = []
  const fault = routeFault(url)
  if (fault !== null) findings.push(bad('url', `"${shownAddress(url)}" is no path to serve; ${fault}`))
  if (Object.keys(headers).length > 0) findings.push(bad('headers', 'a served socket sends no headers; leave them out'))
  if (on_connect.length > 0) findings.push(bad('on_connect', 'a served socket connects to nobody; leave it empty'))
  if (secret === null)
    findings.push({
      code: 'webhook_without_secret',
      severity: 'advisory',
      path: '/settings/secret',
      message: 'anyone who reaches the engine can connect to this socket; set a secret',
    })
  return findings
}
