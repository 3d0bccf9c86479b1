import { readFileSync } from 'node:fs'

import type { Client } from '@flow-service/client-sdk'
import {
  alertChannels,
  type AlertChannel,
  type AlertConfig,
  alertConfigInputSchema,
  type AlertEvent,
  alertEvents,
  meaningOfAlert,
  type ObservabilityEvent,
  remedyOf,
  type SecretRef,
} from '@flow-service/protocol'

import { parseJson } from '../document-file.ts'
import { CommandFailure } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, printable, table } from '../table.ts'
import { bold, dim, printAnswer, shortTime, status } from '../terminal.ts'

/** Messages that are shown. */
const SHOWN = 10

/** `service alerts show`. */
export async function showAlerts(flags: ClientFlags): Promise<void> {
  const client = connect(flags)
  const config = await client.alerts.get()
  const latest = flags.json ? [] : await client.observability.events({ kind: 'alert', limit: SHOWN })
  printAnswer(config, flags.json, () => `${describeAlerts(config)}\n\n${describeLatest(latest)}`)
}

/** The configuration for people. */
function describeAlerts(config: AlertConfig): string {
  const { enabled, min_interval_s: interval, events } = config
  const state = enabled ? `${status('active')}, at most one message in ${interval} s about the same thing` : offText
  const channels = alertChannels.map((channel) => [
    channel,
    config.channels[channel].enabled ? status('active') : status('stopped'),
    printable(placeOf(channel, config)),
  ])
  const watched = alertEvents.map((event) => [event, events.includes(event) ? 'yes' : '-', meaningOfAlert(event)])
  return [
    `${bold('Alerts')}  ${state}`,
    `\n${table(['CHANNEL', 'STATUS', 'SENDS TO'], channels, '')}`,
    `\n${table(['EVENT', 'SENT', 'MEANING'], watched, '')}`,
  ].join('\n')
}

/** What became of the latest messages. */
function describeLatest(latest: readonly ObservabilityEvent[]): string {
  const sent = latest.map(({ ts, action, detail }) => [
    shortTime(ts),
    action,
    wordOf(detail.channel) || '-',
    oneLine(wordOf(detail.error ?? detail.title ?? detail.dropped), 80),
  ])
  return table(['AT', 'WHAT', 'CHANNEL', ''], sent, dim('No message was sent yet.'))
}

/** A part of an event as a word: a later engine may have others there. */
const wordOf = (part: unknown): string =>
  typeof part === 'string' || typeof part === 'number' ? printable(String(part)) : ''

const offText = `${status('stopped')}: switch them on with "service alerts on"`

function placeOf(channel: AlertChannel, { channels: { webhook, push, email } }: AlertConfig): string {
  switch (channel) {
    case 'webhook':
      return [
        webhook.url ?? '-',
        ...Object.entries(webhook.headers).map(([name, value]) => headerText(name, value)),
      ].join(', ')
    case 'push':
      return push.topic === null ? '-' : `${push.topic} at ${push.server}`
    case 'email':
      return email.to.join(', ') || '-'
  }
}

const headerText = (name: string, value: string | SecretRef): string =>
  `${name}: ${typeof value === 'string' ? value : `the secret ${value.$secret}`}`

interface SetFlags extends ClientFlags {
  readonly file?: string
  readonly webhook?: string
  readonly header?: readonly string[]
  readonly push?: string
  readonly pushServer?: string
  readonly pushToken?: string
  readonly email?: readonly string[]
  readonly event?: readonly string[]
  readonly interval?: number
}

/** `service alerts set`. */
export async function setAlerts(flags: SetFlags): Promise<void> {
  const { file, json, url: _url, token: _token, ...changes } = flags
  const isChange = Object.keys(changes).length > 0
  if (file !== undefined && isChange)
    throw new CommandFailure(2, 'a file replaces all; give either --file or the other options')
  if (file === undefined && !isChange)
    throw new CommandFailure(2, 'nothing is given to set; see "service alerts set --help"')
  const client = connect(flags)
  const next = file === undefined ? changed(await client.alerts.get(), flags) : readConfig(file)
  const config = await client.alerts.put(next)
  printAnswer(config, json, () => describeAlerts(config))
}

/** The configuration in a file with its defaults; a word in it that the engine does not know would be lost on the way. */
function readConfig(file: string): AlertConfig {
  const shown = file === '-' ? 'standard input' : file
  const parsed = alertConfigInputSchema.safeParse(parseJson(readFileSync(file === '-' ? 0 : file, 'utf8'), shown))
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : []
    const place = ['', ...issue.path, ...keys.slice(0, 1)].join('/')
    return `${place}: ${keys.length > 0 ? 'this is not known here' : remedyOf(issue)}`
  })
  throw new CommandFailure(1, `${shown} holds no configuration of alerts: ${faults.join('; ')}`)
}

/** What the options name is another; a channel that is named is enabled. */
function changed(config: AlertConfig, flags: SetFlags): AlertConfig {
  const { webhook, push, email } = config.channels
  const { interval, event, header, pushServer: server, pushToken } = flags
  return {
    ...config,
    ...(interval === undefined ? {} : { min_interval_s: interval }),
    ...(event === undefined ? {} : { events: event.includes('all') ? alertEvents : (event as AlertEvent[]) }),
    channels: {
      webhook: {
        ...webhook,
        ...switched(flags.webhook, (url) => ({ url })),
        ...(header === undefined
          ? {}
          : { headers: { ...webhook.headers, ...Object.fromEntries(header.map(headerOf)) } }),
      },
      push: {
        ...push,
        ...switched(flags.push, (topic) => ({ topic })),
        ...(server === undefined ? {} : { server }),
        ...(pushToken === undefined ? {} : { token: { $secret: pushToken } }),
      },
      email: { ...email, ...switched(flags.email?.includes('off') ? 'off' : flags.email, (to) => ({ to: [...to] })) },
    },
  }
}

const switched = <T, P extends object>(given: T | 'off' | undefined, place: (given: T) => P) => {
  if (given === undefined) return {}
  return given === 'off' ? { enabled: false } : { enabled: true, ...place(given) }
}

function headerOf(text: string): [string, string | SecretRef] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new CommandFailure(2, `the header "${text}" has no value; write name=value, or name=secret:NAME`)
  const secret = /^secret:(.+)$/.exec(value)?.[1]
  return [name, secret === undefined ? value : { $secret: secret }]
}

/** `service alerts test <channel>`. */
export async function testAlerts(channel: string, flags: ClientFlags): Promise<void> {
  const result = await connect(flags).alerts.test(channel)
  if (!result.ok && !flags.json) throw new CommandFailure(1, `${channel}: ${printable(result.detail ?? 'it failed')}`)
  if (!result.ok) process.exitCode = 1
  printAnswer(result, flags.json, () => `${bold(channel)} took the message.`)
}

/** `service alerts on`. */
export async function alertsOn(flags: ClientFlags): Promise<void> {
  const client = connect(flags)
  const config = await switchAll(client, true)
  const used = alertChannels.filter((channel) => config.channels[channel].enabled)
  const to = used.length === 0 ? 'no channel is enabled yet: see "service alerts set --help"' : used.join(', ')
  printAnswer(config, flags.json, () => `Alerts are ${bold('on')}: ${to}.`)
}

/** `service alerts off`. */
export async function alertsOff(flags: ClientFlags): Promise<void> {
  const config = await switchAll(connect(flags), false)
  printAnswer(config, flags.json, () => `Alerts are ${bold('off')}; what was configured stays.`)
}

const switchAll = async (client: Client, enabled: boolean): Promise<AlertConfig> =>
  client.alerts.put({ ...(await client.alerts.get()), enabled })
