/**
 * `/alerts`: what the engine watches itself for, and where it tells of it (wire decisions G50, U8).
 * @module
 */
import { alertChannels, alertConfigInputSchema, alertConfigSchema, alertTestResultSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Alerts } from './alerts.ts'
import type { AlertSettings } from './settings.ts'

export const alertsEndpoints = {
  get: endpoint({
    id: 'alerts.get',
    method: 'get',
    path: '/alerts/config',
    summary: 'Get the configuration of alerts',
    description: 'With references to secrets, and no value of one.',
    auth: 'user',
    scope: 'admin',
    replies: { 200: reply.json('The configuration.', alertConfigSchema) },
  }),
  put: endpoint({
    id: 'alerts.put',
    method: 'put',
    path: '/alerts/config',
    summary: 'Replace the configuration of alerts',
    description: 'As a whole: what is left out has its default.',
    auth: 'superuser',
    scope: 'admin',
    body: json(alertConfigInputSchema),
    replies: { 200: reply.json('The configuration as it is now.', alertConfigSchema) },
    problems: ['validation_failed'],
  }),
  test: endpoint({
    id: 'alerts.test',
    method: 'post',
    path: '/alerts/test/{channel}',
    summary: 'Test a channel of alerts',
    description: 'Sends a message of the event `test` now, also through a channel that is not enabled.',
    auth: 'superuser',
    scope: 'admin',
    params: z.object({ channel: z.string().meta({ description: '`webhook`, `push` or `email`.' }) }),
    replies: { 200: reply.json('What became of it.', alertTestResultSchema) },
    problems: ['not_found', 'channel_not_configured'],
  }),
} as const

/** What the endpoints work on. */
export interface AlertsHandlersDeps {
  readonly alerts: Pick<Alerts, 'test'>
  readonly settings: Pick<AlertSettings, 'put' | 'read'>
  readonly redactor: Pick<Redactor, 'mask'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

export const alertsHandlers = ({
  alerts,
  settings,
  redactor,
  eventLog,
}: AlertsHandlersDeps): Handlers<typeof alertsEndpoints> => ({
  get: async () => ({ status: 200, value: redactor.mask(await settings.read()) }),
  async put({ body, principal }) {
    const { enabled, events, channels } = body
    const detail = { enabled, events, channels: alertChannels.filter((channel) => channels[channel].enabled) }
    const entry = { action: 'alerts.put', actor: actorOf(principal), detail }
    const config = await settings.put(body, {
      by: principal.email,
      audit: (tx) => eventLog.audit(tx, entry),
    })
    return { status: 200, value: redactor.mask(config) }
  },
  test: async ({ params: { channel } }) => ({ status: 200, value: await alerts.test(channel) }),
})
