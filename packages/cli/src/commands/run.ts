import { type ParamFlags, paramsOf } from '../params-file.ts'
import { watchRun } from '../run-progress.ts'
import { RunTree } from '../run-tree.ts'
import { type ClientFlags, connect } from '../session.ts'

interface RunFlags extends ClientFlags, ParamFlags {
  readonly seed?: number
  readonly draft?: boolean
  /** Set to false by `--no-cache`. */
  readonly cache: boolean
  readonly priority?: number
  readonly key?: string
  readonly watch?: boolean
}

/** `service run <flow>`. */
export async function run(flow: string, assignments: readonly string[], flags: RunFlags): Promise<void> {
  const client = connect(flags)
  const submission = {
    name: flow,
    params: paramsOf(assignments, flags) as Record<string, never>,
    draft: flags.draft ?? false,
    no_cache: !flags.cache,
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.priority === undefined ? {} : { priority: flags.priority }),
    ...(flags.key === undefined ? {} : { idempotency_key: flags.key }),
  }
  if (!flags.watch) {
    const submitted = await client.http.runs.submit(submission)
    return console.log(flags.json ? JSON.stringify(submitted, null, 2) : `${submitted.status} ${submitted.id}`)
  }
  const print = flags.json ? () => {} : (line: string) => console.log(line)
  const isSeen = flags.json !== true && process.stdout.isTTY
  const screen = isSeen ? new RunTree(await client.flows.get(flow), process.stdout) : null
  const finished = await watchRun(client, submission, { print, ...(screen === null ? {} : { screen }) })
  if (flags.json) console.log(JSON.stringify(finished, null, 2))
  if (finished.status !== 'ok') process.exitCode = 1
}
