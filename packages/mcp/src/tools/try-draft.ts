/**
 * `try_draft`: a flow before it is published.
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'

import { ApiError, type Client, type LiveRunResult } from '@flow-service/client-sdk'
import { isFinished, type Run } from '@flow-service/protocol'
import * as z from 'zod'

import { nextSchema } from '../paging.ts'
import { tool } from '../tool.ts'
import { bounded, line, report, shown } from '../words.ts'
import { flowName } from './flow-words.ts'
import { byInterest, errorText, outcomeOf } from './run-words.ts'

/** Longest wait for a run, in seconds: clients give up an answer after a minute. */
const MAX_WAIT_S = 45

/** `try_draft`. */
export const tryDraft = tool({
  name: 'try_draft',
  title: 'Try a draft',
  description:
    'Runs the draft once. A batch flow: a draft run with "inputs" as its parameters, waited for up to "wait_s" seconds. A live flow: by itself, with "inputs" as messages that arrive, until it is quiet, without listeners and schedules; other flows see nothing of it. But nodes that send do send: a live flow with a node whose work must not be done twice (a push, a POST) takes the scope flows:publish.',
  scope: 'runs:write',
  hints: { readOnly: false, openWorld: true },
  input: z.strictObject({
    name: flowName,
    inputs: z.record(z.string(), z.json()).default({}).describe('Values of inputs of the flow, by name.'),
    wait_s: z.number().min(0).max(MAX_WAIT_S).default(20).describe('How long a batch run is waited for.'),
  }),
  output: z.object({
    status: z
      .string()
      .describe('Of a run: queued, running, ok, error, cancelled; of a live flow: ok, error, timed_out.'),
    run: z.string().nullable().describe('Id of the draft run of a batch flow.'),
    values: z
      .array(z.object({ name: z.string(), value: z.unknown(), truncated: z.boolean() }))
      .describe('The result of a batch flow, the last value of each message of a live one.'),
    errors: z.array(z.object({ node: z.string(), error: z.string() })),
    next: nextSchema,
  }),
  async run({ client, input: { name, inputs, wait_s: waitS }, signal }) {
    const begun = await client.flows.try(name, { inputs: inputs as never, signal })
    if (!('id' in begun)) return ofLive(name, begun)
    return ofRun(await ended(client, begun, { waitMs: waitS * 1000, signal }))
  },
})

/** The run when it is over, or as it stands after a while; as it was when the token may not read runs. */
async function ended(client: Client, begun: Run, wait: { readonly waitMs: number; readonly signal: AbortSignal }) {
  const { waitMs, signal } = wait
  const end = performance.now() + waitMs
  let run = begun
  for (let pauseMs = 50; !isFinished(run.status); pauseMs = Math.min(1000, pauseMs * 1.5)) {
    const leftMs = end - performance.now()
    if (leftMs <= 0) break
    // oxlint-disable no-await-in-loop -- the next look is after the pause
    await pause(Math.min(pauseMs, leftMs), null, { signal })
    try {
      run = await client.runs.get(run.id, { signal })
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) break
      throw error
    }
    // oxlint-enable no-await-in-loop
  }
  return run
}

function ofRun(run: Run) {
  const errors = byInterest(run.nodes).flatMap(({ node, error }) =>
    error === null ? [] : [{ node, error: errorText(error) }],
  )
  const isOver = isFinished(run.status)
  const head = `Draft run of ${run.flow}: ${outcomeOf(run)}. ${isOver ? `Its id is ${run.id}.` : `Look at it later with get_run and id ${run.id}.`}`
  const values = valuesOf(run.result ?? {})
  return {
    text: report([head], [...errors.map(errorLine), ...values.map(valueLine)]),
    value: {
      status: run.status as string,
      run: run.id as string | null,
      values,
      errors: errors.slice(0, 50),
      next: null,
    },
  }
}

function ofLive(name: string, { status, values: given, nodes }: LiveRunResult) {
  const errors = nodes.flatMap(({ node, error }) =>
    error === null ? [] : [{ node, error: line(`${error.type}: ${error.message}`, 300) }],
  )
  const values = valuesOf(given)
  const outcome = {
    ok: 'went well',
    error: 'failed',
    timed_out: 'was not quiet after 30 s, and was ended',
  }[status]
  return {
    text: report([`The draft of ${name} ${outcome}.`], [...errors.map(errorLine), ...values.map(valueLine)]),
    value: { status: status as string, run: null, values, errors: errors.slice(0, 50), next: null },
  }
}

const valuesOf = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values)
    .slice(0, 100)
    .map(([name, value]) => ({ name, ...bounded(value) }))

const errorLine = ({ node, error }: { readonly node: string; readonly error: string }): string => `${node}: ${error}`
const valueLine = ({ name, value }: { readonly name: string; readonly value: unknown }): string =>
  `${name} = ${shown(value, 200)}`
