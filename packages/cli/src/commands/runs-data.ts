import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Client } from '@flow-service/client-sdk'
import { MAX_IMPORT_RUNS } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { assertFlow } from '../known-flow.ts'
import { forTerminal, openOutput } from '../output.ts'
import { type ClientFlags, connect } from '../session.ts'
import { printable } from '../table.ts'
import { counted, printAnswer } from '../terminal.ts'

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
