import type { EventFrame } from '@flow-service/protocol'

import { follow } from '../follow.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, dim, printAnswer, shortTime } from '../terminal.ts'
import { jsonOrText, matcher } from '../values.ts'

interface ListFlags extends ClientFlags {
  readonly flow?: string
}

/** `service messages list`. */
export async function listMessages(flags: ListFlags): Promise<void> {
  const all = await connect(flags).messages.list()
  const messages = all.filter(({ flow }) => flags.flow === undefined || flow === flags.flow)
  const rows = messages.map(({ name, dtype, stream, value, ts, sources, readers }) => [
    name,
    stream ? `${dtype} (stream)` : dtype,
    ts === null && value === null ? '-' : oneLine(value, 40),
    shortTime(ts),
    sources.map(({ node }) => node).join(', ') || '-',
    readers.map(({ flow, node }) => `${flow}.${node}`).join(', ') || '-',
  ])
  const none = flags.flow === undefined ? 'No messages: no flow is published.' : `No messages of "${flags.flow}".`
  printAnswer(messages, flags.json, () => table(['MESSAGE', 'DTYPE', 'VALUE', 'AT', 'FROM', 'READ BY'], rows, none))
}

/** `service messages publish <message> <value>`. */
export async function publishMessage(message: string, text: string, flags: ClientFlags): Promise<void> {
  const published = await connect(flags).messages.publish(message, jsonOrText(text) as never)
  const { name, value, cascade } = published
  printAnswer(
    published,
    flags.json,
    () =>
      `${bold(name)} = ${oneLine(value)}  ${dim(cascade === null ? 'stored; nothing active reads it' : `cascade ${cascade}`)}`,
  )
}

interface HistoryFlags extends ClientFlags {
  readonly limit?: number
  readonly since?: string
  readonly before?: string
}

/** `service messages history <message>`. */
export async function messageHistory(message: string, flags: HistoryFlags): Promise<void> {
  const { limit, since, before } = flags
  const entries = await connect(flags).messages.history(message, {
    ...(limit === undefined ? {} : { limit }),
    ...(since === undefined ? {} : { since }),
    ...(before === undefined ? {} : { before }),
  })
  const rows = entries.map(({ ts, value, truncated, source, run }) => [
    shortTime(ts),
    truncated ? dim('(too long to keep)') : oneLine(value, 80),
    source === null ? 'published' : `${source.flow}.${source.node}`,
    run ?? '',
  ])
  printAnswer(entries, flags.json, () =>
    table(['AT', 'VALUE', 'FROM', 'RUN'], rows, `No values of "${message}" are kept.`),
  )
}

interface WatchFlags extends ClientFlags {
  readonly count?: number
}

/** A line of `messages watch --json`. */
interface Shown {
  readonly ts: string
  readonly message: string
  readonly value: unknown
}

/** `service messages watch [pattern]`: the last values, then every new one, across restarts of the engine. */
export async function watchMessages(pattern: string, flags: WatchFlags): Promise<void> {
  const matches = matcher(pattern)
  const [flow = ''] = pattern.split('.', 1)
  const latest = new Map<string, string>()
  const show = (shown: Shown): number => {
    // each connection begins with all last values
    if (!matches(shown.message) || (latest.get(shown.message) ?? '') > shown.ts) return 0
    latest.set(shown.message, shown.ts)
    console.log(
      flags.json
        ? JSON.stringify(shown)
        : `${dim(shortTime(shown.ts))}  ${bold(shown.message.padEnd(24))}  ${oneLine(shown.value)}`,
    )
    return 1
  }
  await follow(connect(flags), {
    flows: pattern.includes('.') && !flow.includes('*') ? [flow] : undefined,
    count: flags.count,
    show: (frame, most) =>
      valuesOf(frame, latest).reduce((lines, shown) => (lines < most ? lines + show(shown) : lines), 0),
  })
}

function valuesOf(frame: EventFrame, latest: ReadonlyMap<string, string>): Shown[] {
  if (frame.type === 'value') return [{ ts: frame.ts, message: frame.message, value: frame.value }]
  if (frame.type !== 'snapshot') return []
  return frame.values.flatMap(({ ts, message, value }) =>
    // nobody has published an initial value
    ts !== null && ts > (latest.get(message) ?? '') ? [{ ts, message, value }] : [],
  )
}
