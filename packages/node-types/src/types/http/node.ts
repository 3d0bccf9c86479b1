/**
 * `http`: a webhook when it has outputs only, a sender of requests when it has inputs (wire decision G68).
 * @module
 */
import { defineNode, type NodeFinding, type NodePort, type NodeShape } from '@flow-service/connector-sdk'

import { headerFindings } from '../../header-findings.ts'
import { routeFault } from '../../route-path.ts'
import { shownAddress } from '../../shown-address.ts'
import { startSender } from './sender.ts'
import { type HttpSettings, httpSettings, routeOf } from './settings.ts'
import { startWebhook } from './webhook.ts'

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

function checkWebhook({ settings: { url, secret }, outputs }: Shape): NodeFinding[] {
  const findings: NodeFinding[] = []
  if (outputs.length === 0)
    findings.push({
      code: 'unsupported_ports',
      message: 'an http node needs ports; outputs alone make a webhook, inputs make a request',
    })
  const fault = routeFault(url)
  if (fault !== null) findings.push(bad('url', `"${shownAddress(url)}" is no route of a webhook; ${fault}`))
  if (secret === null)
    findings.push({
      code: 'webhook_without_secret',
      severity: 'advisory',
      path: '/settings/secret',
      message: 'anyone who reaches the engine can post to this webhook; set a secret',
    })
  return findings
}

function checkSender({ settings: { url, headers } }: Shape): NodeFinding[] {
  const findings: NodeFinding[] = []
  const target = URL.parse(url)
  if (!target || !/^https?:$/.test(target.protocol))
    findings.push(bad('url', `"${shownAddress(url)}" is no address to request; use a full http:// or https:// URL`))
  else if (target.username || target.password)
    findings.push(bad('url', 'the URL holds a user name or password; send them as a header with a secret reference'))
  findings.push(...headerFindings(headers))
  return findings
}
