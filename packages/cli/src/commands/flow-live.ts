/**
 * Control of running flows: `start stop pause resume step run`, and of their nodes: `trigger cancel acknowledge`.
 * @module
 */
import type { Client, FlowState, LiveRunResult, Run } from '@flow-service/client-sdk'

import { type ClientFlags, connect } from '../session.ts'
import { oneLine, printable, table } from '../table.ts'
import { bold, counted, printAnswer, status } from '../terminal.ts'
import { parsePairs } from '../values.ts'

const switching =
  (change: (client: Client, name: string) => Promise<FlowState>) =>
  async (name: string, flags: ClientFlags): Promise<void> => {
    const state = await change(connect(flags), name)
    printAnswer(state, flags.json, () => stateLine(state))
  }

/** `service flows start <flow>`. */
export const startFlow = switching((client, name) => client.flows.start(name))
/** `service flows stop <flow>`. */
export const stopFlow = switching((client, name) => client.flows.stop(name))
/** `service flows pause <flow>`. */
export const pauseFlow = switching((client, name) => client.flows.pause(name))
/** `service flows resume <flow>`. */
export const resumeFlow = switching((client, name) => client.flows.resume(name))

/** `service flows step <flow>`. */
export async function stepFlow(name: string, flags: ClientFlags): Promise<void> {
  const step = await connect(flags).flows.step(name)
  printAnswer(step, flags.json, () =>
    step.released === 0 ? `${stateLine(step)}: nothing to release` : `${stateLine(step)} after one was released`,
  )
}

interface ValueFlags extends ClientFlags {
  readonly param?: readonly string[]
}

/** `service flows run <flow>`: exit code 1 unless a live flow ends ok. */
export async function runDraft(name: string, flags: ValueFlags): Promise<void> {
  const result = await connect(flags).flows.run(name, { inputs: parsePairs(flags.param) as Record<string, never> })
  printAnswer(result, flags.json, () => describeDraftRun(name, result))
  if ('cascade' in result && result.status !== 'ok') process.exitCode = 1
}

function describeDraftRun(name: string, result: Run | LiveRunResult): string {
  if (!('cascade' in result)) {
    return `${status(result.status)} run ${result.id} of the draft of ${bold(name)}; see it with: service runs show ${result.id}`
  }
  const failed = result.nodes.flatMap(({ node, error }) =>
    error === null ? [] : [`  ${node}: ${printable(error.message)}`],
  )
  const values = Object.entries(result.values).map(([message, value]) => [`  ${message}`, oneLine(value)])
  return [
    `${status(result.status)}  draft of ${bold(name)}, ${counted(values.length, 'message')}`,
    ...(values.length > 0 ? [table(['  MESSAGE', 'VALUE'], values, '')] : []),
    ...failed,
  ].join('\n')
}

/** `service flows trigger <flow> <node>`. */
export async function triggerNode(name: string, id: string, flags: ValueFlags): Promise<void> {
  const result = await connect(flags).flows.nodes.trigger(name, id, {
    values: parsePairs(flags.param) as Record<string, never>,
  })
  printAnswer(result, flags.json, () => `triggered ${bold(`${name}.${id}`)}, cascade ${result.cascade}`)
}

/** `service flows cancel <flow> <node>`. */
export async function cancelNode(name: string, id: string, flags: ClientFlags): Promise<void> {
  const result = await connect(flags).flows.nodes.cancel(name, id)
  printAnswer(result, flags.json, () => `${counted(result.cancelled, 'execution')} of ${bold(`${name}.${id}`)} ended`)
}

/** `service flows acknowledge <flow> <node>`. */
export async function acknowledgeNode(name: string, id: string, flags: ClientFlags): Promise<void> {
  const state = await connect(flags).flows.nodes.acknowledge(name, id)
  printAnswer(state, flags.json, () => `${bold(`${name}.${id}`)} is ${status(state.status)}`)
}

const stateLine = ({ name, status: state, held }: FlowState): string =>
  `${bold(name)} is ${status(state)}${held > 0 ? `, holds ${held}` : ''}`
