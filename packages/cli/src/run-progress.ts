/**
 * A run as it goes, for people: a line for each node that ends and the newest numbers of its streams, so that it reads
 * the same in a log and a pipe. On a terminal a `RunTree` shows the same in place.
 * @module
 */
import type { Client, Run } from '@flow-service/client-sdk'
import { type EventFrame, isFinished } from '@flow-service/protocol'

import { duration, oneLine, printable } from './table.ts'

/** What is submitted. */
export type Submission = Parameters<Client['http']['runs']['submit']>[0]

const METRIC_EVERY_MS = 1000
/** Between two looks whether the engine is still there. */
const ALIVE_MS = 5000

/** Shows what happens to the nodes of a run. */
export interface RunScreen {
  /** The run is submitted, and nothing but the screen writes until the end. */
  begin?(): void
  node(frame: Extract<EventFrame, { type: 'node' }>): void
  value(frame: Extract<EventFrame, { type: 'value' }>): void
  /** Nothing more comes. */
  end(): void
}

/** How a run is shown. */
export interface Watching {
  /** Prints a line or several. */
  readonly print: (text: string) => void
  /** Lines unless given. */
  readonly screen?: RunScreen
}

/**
 * Submits a run and shows how it goes; resolves with the finished run. Ctrl-C cancels the run, a second one ends the
 * process. Rejects when the engine is gone.
 */
export async function watchRun(client: Client, submission: Submission, watching: Watching): Promise<Run> {
  const { print } = watching
  const screen: RunScreen = watching.screen ?? new RunLines(print)
  const ended = new AbortController()
  const frames = client.events({ flows: [submission.name], signal: ended.signal })
  try {
    await frames.next() // the snapshot: from here on nothing of the run is missed
    const submitted = await client.http.runs.submit(submission)
    print(`run ${submitted.id} of ${submitted.flow}`)
    screen.begin?.()
    const lost = Promise.withResolvers<never>()
    const cancel = () => void client.runs.cancel(submitted.id).catch(lost.reject)
    process.once('SIGINT', cancel)
    // Events would wait for an engine that is gone, and tell nothing of a flow that got another name.
    const look = async (): Promise<void> => {
      const { status } = await client.runs.get(submitted.id)
      if (isFinished(status)) ended.abort()
    }
    const alive = setInterval(() => void look().catch(lost.reject), ALIVE_MS)
    try {
      const run = await Promise.race([follow(client, submitted, { frames, screen }), lost.promise])
      if (isFinished(run.status)) print(summary(run))
      return run
    } finally {
      clearInterval(alive)
      process.off('SIGINT', cancel)
    }
  } finally {
    ended.abort()
  }
}

async function follow(
  client: Client,
  submitted: Run,
  { frames, screen }: { frames: AsyncIterable<EventFrame>; screen: RunScreen },
): Promise<Run> {
  const { id } = submitted
  let run = isFinished(submitted.status) ? submitted : await client.runs.get(id)
  try {
    if (isFinished(run.status)) return run
    for await (const frame of frames) {
      if (frame.type === 'node' && frame.run === id) screen.node(frame)
      if (frame.type === 'value' && frame.run === id) screen.value(frame)
      if (frame.type !== 'snapshot' && !(frame.type === 'run' && frame.run.id === id)) continue
      run = await client.runs.get(id)
      if (isFinished(run.status)) return run
    }
    return await client.runs.get(id)
  } finally {
    screen.end()
  }
}

/** A line for each state of a node, and at most one a second for each stream. */
class RunLines implements RunScreen {
  readonly #print: (line: string) => void
  readonly #shown = new Set<string>()
  readonly #at = new Map<string, number>()

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  node({ node, status, cached, error }: Parameters<RunScreen['node']>[0]): void {
    const state = cached ? 'ok (cached)' : status
    if (state === 'pending' || this.#shown.has(`${node} ${state}`)) return
    this.#shown.add(`${node} ${state}`)
    this.#print(`  ${node.padEnd(20)} ${state}${error ? `: ${oneLine(error.message)}` : ''}`)
  }

  value({ message, value, step }: Parameters<RunScreen['value']>[0]): void {
    if (step === null) return
    const now = Date.now()
    if (now - (this.#at.get(message) ?? 0) < METRIC_EVERY_MS) return
    this.#at.set(message, now)
    this.#print(`  ${message.padEnd(20)} ${oneLine(value, 20)} (step ${step})`)
  }

  end(): void {}
}

function summary(run: Run): string {
  const nodes = run.nodes.map(({ node, status, cached, duration_s }) =>
    `  ${node.padEnd(20)} ${cached ? 'cached' : status.padEnd(6)} ${duration(duration_s)}`.trimEnd(),
  )
  const metrics = run.metrics.map(({ name, count, last }) => `  ${name.padEnd(20)} ${last} after ${count} points`)
  const result = Object.entries(run.result ?? {}).map(([name, value]) => `  ${name} = ${oneLine(value)}`)
  const failure = run.error
    ? [
        `  ${run.error.node ?? 'run'}: ${printable(run.error.message)}`,
        `logs and traceback: service runs show ${run.id}`,
      ]
    : []
  return [`${run.status} in ${duration(run.duration_s)}`, ...nodes, ...metrics, ...result, ...failure].join('\n')
}
