/**
 * The ways out for alerts. Requests go where nodes may (T103); what is said of a failure holds no path, no header and no
 * secret.
 * @module
 */
import { pushRequest } from '@flow-service/node-types'
import type { AlertChannel, AlertConfig, AlertMessage, SecretRef } from '@flow-service/protocol'

import type { OutgoingFetch } from '../egress/outgoing-fetch.ts'
import type { Secrets } from '../secrets/secrets.ts'

/** What channels send with. */
export interface ChannelsDeps {
  readonly outgoing: Pick<OutgoingFetch, 'fetch'>
  readonly secrets: Pick<Secrets, 'valueOf'>
}

/** Where messages are sent. */
export interface Channels {
  /** Whether it knows where to send them. */
  isConfigured(channel: AlertChannel, config: AlertConfig): boolean
  /** Rejects, with what may be shown, when the other side did not take the message. */
  send(channel: AlertChannel, message: AlertMessage, config: AlertConfig, signal: AbortSignal): Promise<void>
}

/** The channels of an engine. */
export function createChannels({ outgoing, secrets }: ChannelsDeps): Channels {
  const valueOf = (part: string | SecretRef): string => {
    if (typeof part === 'string') return part
    const value = secrets.valueOf(part.$secret)
    if (value === undefined) throw new Error(`there is no secret "${part.$secret}"; store it first`)
    return value
  }
  const request = async (url: string, init: RequestInit): Promise<void> => {
    const { origin } = new URL(url)
    const response = await outgoing.fetch(url, { ...init, redirect: 'manual' }).catch((error: unknown) => {
      throw new Error(`${origin} could not be reached: ${causeOf(error)}`)
    })
    await response.body?.cancel()
    if (response.ok) return
    const advice = response.status >= 300 && response.status < 400 ? '; redirects are not followed' : ''
    throw new Error(`${origin} answered ${response.status} ${response.statusText}`.trim() + advice)
  }
  const senders: Readonly<
    Record<AlertChannel, (message: AlertMessage, config: AlertConfig, signal: AbortSignal) => Promise<void>>
  > = {
    async webhook(message, { channels: { webhook } }, signal) {
      const headers = Object.entries(webhook.headers).map(([name, value]) => [name, valueOf(value)] as const)
      await request(webhook.url ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...Object.fromEntries(headers) },
        body: JSON.stringify(message),
        signal,
      })
    },
    async push(message, { channels: { push } }, signal) {
      const { server, topic, token } = push
      const { title, detail, event, severity } = message
      const value = { title, message: detail ?? title, tags: [event] }
      const settings = { topic: topic ?? '', token: token && valueOf(token), priority: priorities[severity] }
      await request(server, { ...pushRequest(settings, value), signal })
    },
    async email() {
      throw new Error('this engine sends no mail')
    },
  }
  return {
    isConfigured: (channel, config) => isConfigured[channel](config.channels),
    send: async (channel, message, config, signal) => senders[channel](message, config, signal),
  }
}

const priorities = { info: 'low', warning: 'default', error: 'high' } as const

const isConfigured: Readonly<Record<AlertChannel, (channels: AlertConfig['channels']) => boolean>> = {
  webhook: ({ webhook }) => webhook.url !== null,
  push: ({ push }) => push.topic !== null,
  email: ({ email }) => email.to.length > 0,
}

/** Why a request has failed, which its cause tells. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : 'it failed'
}
