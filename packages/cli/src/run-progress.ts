/**
 * A run on the screen: a line for each node that ends, the newest numbers of its streams while it works, and the
 * result. Lines only, no cursor movement, so that it reads the same in a terminal, a log and a pipe.
 * @module
 */
import type { Client, Run } from '@flow-service/client-sdk'
import { type EventFrame, isFinished } from '@flow-service/protocol'

import { duration, oneLine, printable } from './table.ts'

/** What is submitted. */
export type Submission = Parameters<Client['runs']['submit']>[0]

const METRIC_EVERY_MS = 1000
/** Between two looks whether the engine is still there. */
const ALIVE_MS = 5000

/**
 * Submits a run and prints how it goes; resolves with the finished run. Ctrl-C cancels the run, a second one ends the
 * process. Rejects when the engine is gone.
 */
export async function watchRun(client: Client, submission: Submission, print: (line: string) => void): Promise<Run> {
  const ended = new AbortController()
  const frames = client.events({ flows: [submission.name], signal: ended.signal })
  try {
    await frames.next() // the snapshot: from here on nothing of the run is missed
    const submitted = await client.runs.submit(submission)
    print(`run ${submitted.id} of ${submitted.flow}`)
    const lost = Promise.withResolvers<never>()
    const cancel = () => void client.runs.cancel({ id: submitted.id }).catch(lost.reject)
    process.once('SIGINT', cancel)
    // Events would wait for an engine that is gone.
    const alive = setInterval(() => void client.runs.get({ id: submitted.id }).catch(lost.reject), ALIVE_MS)
    try {
      return await Promise.race([follow(client, submitted, { frames, print }), lost.promise])
    } finally {
      clearInterval(alive)
      process.off('SIGINT', cancel)
    }
  } finally {
    ended.abort()
  }
}

interface Screen {
  readonly frames: AsyncIterable<EventFrame>
  readonly print: (line: string) => void
}

async function follow(client: Client, submitted: Run, { frames, print }: Screen): Promise<Run> {
  const { id } = submitted
  let run = isFinished(submitted.status) ? submitted : await client.runs.get({ id })
  const shown = new Set<string>()
  const lines = new MetricLines(print)
  if (!isFinished(run.status)) {
    for await (const frame of frames) {
      if (frame.type === 'node' && frame.run === id) nodeLine(frame, { shown, print })
      if (frame.type === 'value' && frame.run === id) lines.add(frame)
      if (frame.type !== 'snapshot' && !(frame.type === 'run' && frame.run.id === id)) continue
      run = await client.runs.get({ id })
      if (isFinished(run.status)) break
    }
  }
  if (isFinished(run.status)) print(summary(run))
  return run
}

function nodeLine(
  frame: Extract<EventFrame, { type: 'node' }>,
  { shown, print }: { shown: Set<string>; print: (line: string) => void },
): void {
  const state = frame.cached ? 'ok (cached)' : frame.status
  if (state === 'pending' || shown.has(`${frame.node} ${state}`)) return
  shown.add(`${frame.node} ${state}`)
  print(`  ${frame.node.padEnd(20)} ${state}${frame.error ? `: ${oneLine(frame.error.message)}` : ''}`)
}

/** At most one line a second for each stream. */
class MetricLines {
  readonly #at = new Map<string, number>()
  readonly #print: (line: string) => void
  constructor(print: (line: string) => void) {
    this.#print = print
  }
  add(frame: Extract<EventFrame, { type: 'value' }>): void {
    if (frame.step === null) return
    const now = Date.now()
    if (now - (this.#at.get(frame.message) ?? 0) < METRIC_EVERY_MS) return
    this.#at.set(frame.message, now)
    this.#print(`  ${frame.message.padEnd(20)} ${oneLine(frame.value, 20)} (step ${frame.step})`)
  }
}

function summary(run: Run): string {
  const nodes = run.nodes.map(({ node, status, cached, duration_s }) =>
    `  ${node.padEnd(20)} ${cached ? 'cached' : status.padEnd(6)} ${duration(duration_s)}`.trimEnd(),
  )
  const metrics = run.metrics.map(({ name, count, last }) => `  ${name.padEnd(20)} ${last} after ${count} points`)
  const result = Object.entries(run.result ?? {}).map(([name, value]) => `  ${name} = ${oneLine(value)}`)
  const failure = run.error ? [`  ${run.error.node ?? 'run'}: ${printable(run.error.message)}`] : []
  return [`${run.status} in ${duration(run.duration_s)}`, ...nodes, ...metrics, ...result, ...failure].join('\n')
}
