import { CommandFailure } from '../failure.ts'
import { watchRun } from '../run-progress.ts'
import { type ClientFlags, connect } from '../session.ts'

interface RunFlags extends ClientFlags {
  readonly param?: readonly string[]
  readonly seed?: number
  readonly draft?: boolean
  /** Set to false by `--no-cache`. */
  readonly cache: boolean
  readonly watch?: boolean
}

/** `service run <flow>`. */
export async function run(flow: string, flags: RunFlags): Promise<void> {
  const client = connect(flags)
  const submission = {
    name: flow,
    params: parseParams(flags.param ?? []) as Record<string, never>,
    draft: flags.draft ?? false,
    no_cache: !flags.cache,
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
  }
  if (!flags.watch) {
    const submitted = await client.runs.submit(submission)
    return console.log(flags.json ? JSON.stringify(submitted, null, 2) : `${submitted.status} ${submitted.id}`)
  }
  const print = flags.json ? () => {} : (line: string) => console.log(line)
  const finished = await watchRun(client, submission, print)
  if (flags.json) console.log(JSON.stringify(finished, null, 2))
  if (finished.status !== 'ok') process.exitCode = 1
}

/** `name=value` pairs; a value that is no JSON is text. */
export function parseParams(pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new CommandFailure(2, `"${pair}" is no parameter; write -p name=value`)
      return [pair.slice(0, at), jsonOrText(pair.slice(at + 1))]
    }),
  )
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
