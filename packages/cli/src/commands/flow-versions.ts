/**
 * What was published of a flow: `log diff restore`.
 * @module
 */
import type { Change, Flow, FlowDiff, NodeChange, Wire } from '@flow-service/client-sdk'

import { type ClientFlags, connect } from '../session.ts'
import { oneLine, printable, table } from '../table.ts'
import { bold, dim, green, printAnswer, red, shortTime } from '../terminal.ts'

interface LogFlags extends ClientFlags {
  readonly limit?: number
}

/** `service flows log <flow>`. */
export async function logFlow(name: string, flags: LogFlags): Promise<void> {
  const versions = await connect(flags).flows.versions(name, { limit: flags.limit ?? 20 })
  printAnswer(versions, flags.json, () =>
    table(
      ['VERSION', 'PUBLISHED', 'BY', 'RUNS', 'DIGEST'],
      versions.map(({ version, published_at: at, published_by: by, origin, runs, digest }) => [
        String(version),
        shortTime(at),
        origin === 'code' ? dim('code') : oneLine(by ?? '-'),
        String(runs),
        digest.replace('sha256:', '').slice(0, 12),
      ]),
      `Nothing of ${name} was published.`,
    ),
  )
}

interface DiffFlags extends ClientFlags {
  readonly to?: string
}

/** `service flows diff <flow> <version>`. */
export async function diffFlow(name: string, version: number, flags: DiffFlags): Promise<void> {
  const diff = await connect(flags).flows.diff(name, version, flags.to === undefined ? {} : { to: flags.to })
  printAnswer(diff, flags.json, () => diffText(name, diff))
}

function diffText(name: string, { from, to, flow, nodes, wires }: FlowDiff): string {
  const lines = [
    ...flow.map(changeLine),
    ...nodes.flatMap(nodeLines),
    ...wires.removed.map((wire) => red(`- ${wireText(wire)}`)),
    ...wires.added.map((wire) => green(`+ ${wireText(wire)}`)),
  ]
  const newer = typeof to === 'number' ? `version ${to}` : to === 'draft' ? 'the draft' : 'what is published'
  if (lines.length === 0) return `version ${from} of ${name} and ${newer} are equal`
  return [bold(`${name}: version ${from} -> ${newer}`), ...lines].join('\n')
}

function changeLine({ path, from, to }: Change): string {
  if (from === undefined) return green(`+ ${printable(path)}: ${oneLine(to)}`)
  if (to === undefined) return red(`- ${printable(path)}: ${oneLine(from)}`)
  return `  ${printable(path)}: ${red(oneLine(from))} -> ${green(oneLine(to))}`
}

function nodeLines({ id, change, fields, source }: NodeChange): string[] {
  if (change === 'removed') return [red(`- node ${id}`)]
  const type = fields.find(({ path }) => path === '/type')?.to
  const head =
    change === 'added' ? green(`+ node ${id}${typeof type === 'string' ? ` (${oneLine(type)})` : ''}`) : `node ${id}`
  const within = change === 'added' ? [] : fields.map(changeLine)
  return [head, ...[...within, ...(source === null ? [] : sourceLines(source))].map((line) => `  ${line}`)]
}

/** A unified diff (as of `diff -u`) in its usual colours, without the names of files that are none. */
const sourceLines = (source: string): string[] =>
  printable(source.trimEnd())
    .split('\n')
    .filter((line) => !/^(?:---|\+\+\+|===|Index:)/.test(line))
    .map((line) => (line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : dim(line)))

const wireText = ({ message, from, to }: Wire): string =>
  `wire ${message}: ${from ? `${from.node}.${from.port}` : 'outside'} -> ${to.flow}/${to.node}.${to.port}`

/** `service flows restore <flow> <version>`. */
export async function restoreFlow(name: string, version: number, flags: ClientFlags): Promise<void> {
  const client = connect(flags)
  const { version: read } = await client.flows.get(name)
  const flow: Flow = await client.flows.restore(name, version, { version: read })
  printAnswer(flow, flags.json, () =>
    [
      `version ${version} of ${name} is its draft now, version ${flow.version}`,
      `publish it with: service flows publish ${name}`,
    ].join('\n'),
  )
}
