import { setTimeout as sleep } from 'node:timers/promises'

import type { Client } from '@flow-service/client-sdk'
import type { Actor, ObservabilityEvent } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, dim, printAnswer, shortTime } from '../terminal.ts'

/** Between two looks for what is new, in milliseconds. */
const PAUSE_MS = 1000
/** Rows of a page, at most. */
const PAGE = 500

interface AuditFlags extends ClientFlags {
  readonly actor?: string
  readonly action?: string
  readonly flow?: string
  readonly since?: string
  readonly until?: string
  readonly limit?: number
  readonly follow?: boolean
}

/** `service audit`. */
export async function showAudit(flags: AuditFlags): Promise<void> {
  const client = connect(flags)
  const { actor, action, flow, since, until, limit } = flags
  if (flags.follow && until !== undefined) {
    throw new CommandFailure(2, '--follow goes on until Ctrl-C; leave out --until, or --follow')
  }
  const filter = {
    kind: 'audit',
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...(flow === undefined ? {} : { flow }),
  }
  const span = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
  const entries = await client.observability.events({ ...filter, ...span, ...(limit === undefined ? {} : { limit }) })
  if (flags.follow) return follow(client, filter, entries.toReversed(), flags.json)
  const rows = entries.map((entry) => [
    shortTime(entry.ts),
    whoOf(entry.actor),
    bold(entry.action),
    placeOf(entry),
    detailOf(entry, 60),
  ])
  printAnswer(entries, flags.json, () =>
    table(['AT', 'WHO', 'DID', 'FLOW', 'DETAIL'], rows, 'Nobody has changed anything.'),
  )
}

/** Who it was, in words: a person, or what has signed in as one. */
export function whoOf(actor: Actor | null): string {
  if (actor === null) return 'the engine'
  const email = oneLine(actor.email)
  const name = oneLine(actor.name ?? '-', 60)
  switch (actor.via) {
    case 'session':
      return email
    case 'key':
      return `key ${name} of ${email}`
    case 'mcp':
      return `agent ${name} of ${email}`
    case 'cli':
      return `${email} at the machine`
  }
}

const placeOf = ({ flow, node }: ObservabilityEvent): string =>
  flow === null ? '-' : oneLine(node === null ? flow : `${flow}.${node}`)

const detailOf = ({ detail }: ObservabilityEvent, most: number): string => {
  const told = Object.entries(detail).map(([name, value]) => `${name}: ${oneLine(value)}`)
  return told.length === 0 ? '-' : oneLine(told.join(', '), most)
}

const lineOf = (entry: ObservabilityEvent): string =>
  `${dim(shortTime(entry.ts))}  ${whoOf(entry.actor)}  ${bold(entry.action)}  ${placeOf(entry)}  ${detailOf(entry, 100)}`

/** Shows entries, and then those that come, until Ctrl-C. */
async function follow(
  client: Client,
  filter: object,
  first: readonly ObservabilityEvent[],
  json: boolean | undefined,
): Promise<void> {
  const stop = new AbortController()
  const interrupt = (): void => stop.abort()
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  let entries = first
  let since = new Date().toISOString()
  /** Those of the last moment, which the next look finds again. */
  let shown = new Set<string>()
  try {
    for (;;) {
      for (const entry of entries) console.log(json ? JSON.stringify(entry) : lineOf(entry))
      since = entries.at(-1)?.ts ?? since
      shown = new Set([...shown, ...entries.map(({ id }) => id)])
      await sleep(PAUSE_MS, null, { signal: stop.signal })
      const found = await newer(client, { ...filter, since })
      entries = found.filter(({ id }) => !shown.has(id))
      shown = new Set(found.map(({ id }) => id))
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

/** All that fit, the oldest first. */
async function newer(client: Client, filter: object): Promise<ObservabilityEvent[]> {
  const pages: ObservabilityEvent[] = []
  for (let before: string | undefined; ; before = pages.at(-1)?.ts) {
    const page = await client.observability.events({
      ...filter,
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    })
    pages.push(...page)
    if (page.length < PAGE) return pages.toReversed()
  }
}
