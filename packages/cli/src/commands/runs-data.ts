import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Client } from '@flow-service/client-sdk'
import { MAX_COMPARED_RUNS, MAX_IMPORT_RUNS } from '@flow-service/protocol'

import { drawCurves } from '../curve.ts'
import { CommandFailure } from '../failure.ts'
import { assertFlow } from '../known-flow.ts'
import { forTerminal, openOutput } from '../output.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, printable, table, varying } from '../table.ts'
import { bold, counted, printAnswer } from '../terminal.ts'

/** `service runs cancel <id...>`. */
export const cancelRuns = (ids: readonly string[], flags: ClientFlags): Promise<void> =>
  each(ids, flags, async (client, id) => `is ${(await client.runs.cancel(id)).status}`)

/** `service runs retry <id...>`. */
export const retryRuns = (ids: readonly string[], flags: ClientFlags): Promise<void> =>
  each(ids, flags, async (client, id) => `queued again as ${(await client.runs.retry(id)).id}`)

/** `service runs delete <id...>`. */
export const deleteRuns = (ids: readonly string[], flags: ClientFlags): Promise<void> =>
  each(ids, flags, async (client, id) => {
    await client.runs.delete(id)
    return 'deleted'
  })

/** Does the same for several runs, and tells of each; exit code 1 when one refused. */
async function each(
  ids: readonly string[],
  flags: ClientFlags,
  act: (client: Client, id: string) => Promise<string>,
): Promise<void> {
  const client = connect(flags)
  const told: { id: string; done: string | null; error: string | null }[] = []
  for (const id of ids) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- what is told comes in the order of the command line
      told.push({ id, done: await act(client, id), error: null })
    } catch (error) {
      if (ids.length === 1) throw error
      told.push({ id, done: null, error: (error as Error).message })
      process.exitCode = 1
    }
  }
  printAnswer(told, flags.json, () =>
    told.map(({ id, done, error }) => printable(`${id} ${done ?? error ?? ''}`)).join('\n'),
  )
}

interface CompareFlags extends ClientFlags {
  readonly flow?: string
  readonly group?: string
  readonly x?: string
}

const PICTURE = { width: 72, height: 16 }

/** `service runs compare <metric> [id...]`. */
export async function compareRuns(metric: string, ids: readonly string[], flags: CompareFlags): Promise<void> {
  const client = connect(flags)
  const { flow, group, x } = flags
  if (ids.length === 0 && flow === undefined && group === undefined) {
    throw new CommandFailure(2, 'name the runs to compare, or choose them with --flow or --group')
  }
  const filter = { ...(flow === undefined ? {} : { flow }), ...(group === undefined ? {} : { group }) }
  const chosen =
    ids.length > 0
      ? ids
      : (await client.runs.list({ ...filter, status: 'ok', limit: MAX_COMPARED_RUNS })).map(({ id }) => id)
  if (chosen.length === 0) await assertFlow(client, flow)
  if (chosen.length === 0) throw new CommandFailure(1, 'no run that ended ok fits')
  const compared = await client.compare(chosen, metric, x === undefined ? {} : { x })
  if (compared.series.every(({ points }) => points.length === 0)) throw await noCurve(client, compared, chosen)
  printAnswer(compared, flags.json, () => {
    const differing = varying(compared.series.map(({ params }) => params))
    const nameOf = (at: number): string => {
      const { run, params } = compared.series[at]!
      return [run.slice(-12), ...differing.map((name) => `${name}=${oneLine(params[name], 20)}`)].join(' ')
    }
    const curves = compared.series.map(({ points }, at) => ({
      name: nameOf(at),
      points: points.map((point) => ({ x: Number(point.x), y: Number(point.y) })),
    }))
    const rows = compared.series.map(({ run, points }, at) => [
      run,
      ...differing.map((name) => oneLine(compared.series[at]!.params[name], 20)),
      String(points.at(-1)?.y ?? '-'),
      String(points.length),
    ])
    return [
      bold(`${compared.metric} by ${compared.x}`),
      drawCurves(curves, PICTURE),
      '',
      table(['RUN', ...differing.map((name) => name.toUpperCase()), 'LAST', 'POINTS'], rows, 'No run has the metric.'),
    ].join('\n')
  })
}

/** None of the runs has the curve: which it could be. */
async function noCurve(
  client: Client,
  { metric, x }: { readonly metric: string; readonly x: string },
  [first = '']: readonly string[],
): Promise<CommandFailure> {
  const names = (await client.runs.get(first)).metrics.map(({ name }) => name)
  const known = names.length === 0 ? 'has no curves' : `has ${names.join(', ')}`
  return new CommandFailure(1, `none of these runs has points of "${metric}" by "${x}"; ${first} ${known}`)
}

interface ExportFlags extends ClientFlags {
  readonly flow?: string
  readonly group?: string
  readonly status?: string
  readonly since?: string
  readonly until?: string
  readonly format?: 'csv' | 'jsonl'
  readonly params?: string
  readonly metrics?: string
  /** The long table of points in place of one line a run. */
  readonly points?: boolean
  readonly output?: string
  readonly force?: boolean
}

/** `service runs export`. */
export async function exportRuns(flags: ExportFlags): Promise<void> {
  const { url: _url, token: _token, json, points, output, force, ...query } = flags
  const client = connect(flags)
  await assertFlow(client, query.flow)
  const chosen = { ...query, ...(json === true ? { format: 'jsonl' as const } : {}) }
  const exported = await (points === true ? client.metrics : client.runs).export({ ...chosen, parseAs: 'stream' })
  const lines = Readable.fromWeb(exported as unknown as Parameters<typeof Readable.fromWeb>[0])
  if (output !== undefined) await pipeline(lines, await openOutput(output, force).catch(stopAt(lines)))
  else if (process.stdout.isTTY) await pipeline(lines, forTerminal(), process.stdout, { end: false })
  else await pipeline(lines, process.stdout, { end: false })
}

/** What nobody reads on keeps the process waiting for the rest. */
const stopAt =
  (lines: Readable) =>
  (error: unknown): never => {
    lines.destroy()
    throw error
  }

/** `service runs import <file>`. */
export async function importRuns(file: string, flags: ClientFlags): Promise<void> {
  const client = connect(flags)
  const entries = entriesIn(file)
  const told: { external_id: string; id: string; created: boolean }[] = []
  for (let first = 0; first < entries.length; first += MAX_IMPORT_RUNS) {
    const runs = entries.slice(first, first + MAX_IMPORT_RUNS) as Parameters<Client['runs']['import']>[0]['runs']
    // oxlint-disable-next-line no-await-in-loop -- each request is all or nothing; the next one follows a success
    told.push(...(await client.runs.import({ runs })).runs)
  }
  const created = told.filter((run) => run.created).length
  printAnswer(told, flags.json, () => `imported ${counted(created, 'run')}; ${told.length - created} were known`)
}

/** Entries of a JSON list, an object with `runs`, or lines of JSON; `-` is standard input. */
function entriesIn(file: string): unknown[] {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8')
  try {
    const content = JSON.parse(text) as unknown
    if (Array.isArray(content)) return content
    const { runs } = content as { runs?: unknown }
    return Array.isArray(runs) ? runs : [content]
  } catch {
    // may be lines
  }
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, at) => {
      try {
        return JSON.parse(line) as unknown
      } catch (error) {
        throw new CommandFailure(2, `${file}:${at + 1} is no JSON: ${(error as Error).message}`)
      }
    })
}
