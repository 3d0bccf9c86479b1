import type { Engine, EngineList } from '@flow-service/protocol'

import { type ClientFlags, connect } from '../session.ts'
import { byteCount, oneLine, table } from '../table.ts'
import { counted, printAnswer, shortTime, status, yellow } from '../terminal.ts'

/** `service engines list`. */
export async function listEngines(flags: ClientFlags): Promise<void> {
  const found = await connect(flags).engines.list()
  printAnswer(found, flags.json, () => describeEngines(found))
}

/** The engines for people, and what is wrong with them. */
export function describeEngines(found: EngineList): string {
  const { engines, flows } = found
  const only = engines.length === 1 ? engines[0] : undefined
  const shown =
    only?.id === null ? describeAlone(only) : [tableOf(engines), `${counted(flows.wished, 'live flow')} to run.`]
  return [...shown, ...warningsOf(found)].join('\n')
}

/** On the embedded database there is nothing to compare. */
const describeAlone = ({ name, version, flows, started_at: since }: Engine): string[] => [
  'One engine, which has its database to itself:',
  `  ${oneLine(name)}, version ${oneLine(version, 20)}, since ${shortTime(since)}, with ${counted(flows, 'live flow')}`,
  'Several engines share a PostgreSQL server; how the database gets there: service move --help',
]

const tableOf = (engines: readonly Engine[]): string =>
  table(
    ['NAME', 'VERSION', 'FLOWS', 'LEASE', 'LINK', 'SINCE', 'ADDRESS'],
    engines.map(({ name, version, flows, lease_s: leaseS, link, started_at: since, address }) => [
      oneLine(name),
      oneLine(version, 20),
      String(flows),
      leaseS === null ? '-' : `${leaseS.toFixed(1)} s`,
      linkText(link),
      shortTime(since),
      address === null ? '-' : oneLine(address),
    ]),
    'No engine lives.',
  )

function linkText(link: Engine['link']): string {
  if (link === null) return 'this one'
  const more = [
    link.round_trip_ms === null ? '' : `, ${link.round_trip_ms.toFixed(1)} ms`,
    link.unsent_bytes === 0 ? '' : `, ${byteCount(link.unsent_bytes)} unsent`,
  ]
  return status(link.status) + more.join('')
}

function warningsOf({ engines, flows, refused_writes: refused }: EngineList): string[] {
  const versions = [...new Set(engines.map(({ version }) => oneLine(version, 20)))]
  const more = flows.nowhere - flows.nowhere_names.length
  const names = flows.nowhere_names.join(', ') + (more > 0 ? ` and ${more} more` : '')
  return [
    ...(versions.length > 1 ? [`The engines have different versions: ${versions.join(', ')}.`] : []),
    ...(flows.nowhere > 0
      ? [`${counted(flows.nowhere, 'live flow')} ${flows.nowhere === 1 ? 'runs' : 'run'} nowhere: ${names}.`]
      : []),
    ...(refused > 0
      ? [`The engine that was asked has not written ${counted(refused, 'value')} of flows that another one had taken.`]
      : []),
  ].map(yellow)
}
