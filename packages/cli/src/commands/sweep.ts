import type { Client } from '@flow-service/client-sdk'

import { searchOf, type SearchFlags } from '../search.ts'
import { type ClientFlags, connect } from '../session.ts'
import { duration, oneLine, table, varying } from '../table.ts'
import { bold, counted, dim, printAnswer, red, status } from '../terminal.ts'

interface SweepFlags extends ClientFlags, SearchFlags {
  readonly draft?: boolean
  /** Set to false by `--no-cache`. */
  readonly cache: boolean
  readonly priority?: number
  readonly watch?: boolean
}

const wire = ({ draft, cache, priority }: Pick<SweepFlags, 'draft' | 'cache' | 'priority'>) => ({
  draft: draft ?? false,
  no_cache: !cache,
  ...(priority === undefined ? {} : { priority }),
})

/** `service sweep <flow>`. */
export async function sweep(flow: string, assignments: readonly string[], flags: SweepFlags): Promise<void> {
  const client = connect(flags)
  const queued = await client.http.runs.sweep({ name: flow, ...wire(flags), ...searchOf(assignments, flags) })
  const ids = queued.runs.map(({ id }) => id)
  if (flags.watch !== true) {
    return printAnswer(
      queued,
      flags.json,
      () => `queued ${counted(ids.length, 'run')} of ${flow}, group ${queued.group_id}`,
    )
  }
  if (flags.json !== true) console.log(`${counted(ids.length, 'run')} of ${flow}, group ${queued.group_id}`)
  const counts = await untilOver(client, ids, (line) => {
    if (flags.json !== true) console.log(line)
  })
  const runs = await outcomes(client, queued.group_id)
  printAnswer(runs, flags.json, () => outcomeTable(runs))
  if (flags.json !== true) await hint(client, { flow, group: queued.group_id, flags })
  if (counts.ok < ids.length) process.exitCode = 1
}

/** Requests for cancellations under way at once. */
const MAX_REQUESTS = 16

/** Cancels runs, the last ones first: the first ones end by themselves the soonest. */
export async function cancelAll(
  client: Pick<Client, 'runs'>,
  ids: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const left = [...ids]
  const work = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      // oxlint-disable-next-line no-await-in-loop -- as many at once as there are workers
      await client.runs.cancel(id).catch((error: unknown) => print(`  ${id}: ${oneLine((error as Error).message)}`))
    }
  }
  await Promise.all(Array.from({ length: MAX_REQUESTS }, work))
}

interface Finished {
  readonly flow: string
  readonly group: string
  readonly flags: SearchFlags
}

/** How to look at the curves of the runs, if they have any; of several seeds at their means as well. */
async function hint(client: Client, { flow, group, flags }: Finished): Promise<void> {
  const [first] = await client.runs.list({ group, status: 'ok', limit: 1 })
  const metric = first && (await client.runs.get(first.id)).metrics[0]?.name
  if (metric === undefined) return
  const name = metric.startsWith(`${flow}.`) ? metric.slice(flow.length + 1) : metric
  const command = `service runs compare ${name} --group ${group}`
  console.log(dim(`compare their curves: ${command}`))
  const axes = (flags.grid ?? []).map((axis) => axis.slice(0, axis.indexOf('=')))
  if (axes.length > 0 && (flags.seeds?.length ?? 0) > 1) {
    console.log(dim(`means over the seeds: ${command} --by ${axes.join(',')}`))
  }
}

/** Follows runs of a flow to their ends: a line a second at most; Ctrl-C cancels what is left. */
async function untilOver(
  client: Client,
  ids: readonly string[],
  print: (line: string) => void,
): Promise<{ ok: number }> {
  const over = new Map<string, string>()
  let printedMs = 0
  const cancel = (): void => {
    print('cancelling what is left; Ctrl-C again leaves it')
    void cancelAll(
      client,
      ids.filter((id) => !over.has(id)),
      print,
    )
  }
  process.once('SIGINT', cancel)
  const tell = (): void => {
    const words = Object.entries(Object.groupBy(over.values(), (word) => word)).map(
      ([word, all]) => `${all?.length ?? 0} ${status(word)}`,
    )
    print(`  ${over.size} of ${ids.length}${words.length > 0 ? `: ${words.join(', ')}` : ''}`)
    printedMs = performance.now()
  }
  try {
    await Promise.all(
      ids.map(async (id) => {
        const run = await client.wait(id)
        over.set(id, run.status)
        if (run.status === 'error')
          print(`  ${red('error')} ${id}${run.error ? `: ${oneLine(run.error.message)}` : ''}`)
        if (performance.now() - printedMs >= 1000 || over.size === ids.length) tell()
      }),
    )
  } finally {
    process.off('SIGINT', cancel)
  }
  return { ok: [...over.values()].filter((word) => word === 'ok').length }
}

/** A line of the export of runs. */
interface Outcome {
  readonly id: string
  readonly status: string
  readonly duration_s: number | null
  readonly seed: number | null
  readonly params: Readonly<Record<string, unknown>>
  readonly metrics: Readonly<Record<string, unknown>>
}

/** What the runs of a sweep were given, and their numeric outputs; in the order in which they were queued. */
async function outcomes(client: Client, group: string): Promise<Outcome[]> {
  const lines = await client.runs.export({ group, format: 'jsonl', parseAs: 'text' })
  const runs = (lines as unknown as string).split('\n').filter((line) => line !== '')
  return runs.map((line) => JSON.parse(line) as Outcome).toReversed()
}

/** Parameters in which the runs differ, and what came out. */
function outcomeTable(runs: readonly Outcome[]): string {
  const params = varying(runs.map((run) => run.params))
  const metrics = [...new Set(runs.flatMap((run) => Object.keys(run.metrics)))]
  return table(
    [
      'ID',
      'STATUS',
      'DURATION',
      ...params.map((name) => name.toUpperCase()),
      ...metrics.map((name) => name.toUpperCase()),
    ],
    runs.map((run) => [
      run.id,
      status(run.status),
      duration(run.duration_s),
      ...params.map((name) => oneLine(run.params[name], 20)),
      ...metrics.map((name) => oneLine(run.metrics[name] ?? '-', 20)),
    ]),
    'No run is over.',
  )
}

interface PlanFlags extends ClientFlags, SearchFlags {
  readonly draft?: boolean
  readonly cache: boolean
}

const expectation = (seconds: number | null): string =>
  seconds === null ? '; how long they take is unknown' : `, expected ${duration(seconds)} of work`

/** `service plan <flow>`. */
export async function plan(flow: string, assignments: readonly string[], flags: PlanFlags): Promise<void> {
  const { priority: _, ...options } = wire(flags)
  const told = await connect(flags).http.runs.plan({ name: flow, ...options, ...searchOf(assignments, flags) })
  const rows = told.stages.map(({ node, runs, hits, unknown, expected_s: seconds, why }) => [
    bold(node),
    `${hits} of ${runs}`,
    unknown === 0 ? '' : `${unknown} unknown`,
    seconds === null ? '-' : duration(seconds),
    why.map((reason) => oneLine(reason, 60)).join('; '),
  ])
  printAnswer(told, flags.json, () =>
    [
      table(['NODE', 'CACHED', '', 'EXPECTED', 'WHY IT EXECUTES'], rows, 'The flow has no nodes.'),
      dim(`${counted(told.runs, 'run')}${expectation(told.expected_s)}`),
    ].join('\n'),
  )
}
