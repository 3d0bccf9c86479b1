/** Code of nodes whose executions the test ends one by one. */
import type { CodeCall } from '@flow-service/core'
import { expect } from 'vitest'

import type { Code, TestEngine } from './engine.ts'
import { node as flowNode } from './flows.ts'

/** An execution that has begun. */
export interface Held {
  readonly run: string
  readonly node: string
  readonly end: (outputs: Record<string, unknown>) => void
  readonly fail: (message: string) => void
}

/** Executions in the order of their beginning. A cancelled one ends by itself. */
export function heldCode(...nodes: string[]) {
  const begun: Held[] = []
  const execute = (call: CodeCall): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      call.signal.addEventListener('abort', () => reject(new Error('aborted')))
      const fail = (message: string): void => reject(new Error(message))
      begun.push({ run: call.run ?? '', node: call.node.id, end: resolve, fail })
    })
  const code: Code = Object.fromEntries(nodes.map((node) => [node, execute]))
  /** Resolves when that many have begun; gives them. */
  const executions = async (count: number): Promise<Held[]> => {
    await expect.poll(() => begun.length).toBeGreaterThanOrEqual(count)
    return begun
  }
  return { code, begun, executions }
}

/** Resolves when that many nodes of these runs wait for an equal stage. */
export async function waiting(engine: TestEngine, runs: readonly string[], count: number): Promise<void> {
  const reasons = async (): Promise<string[]> => {
    const records = await Promise.all(runs.map((id) => engine.runs.get(id)))
    const open = records.flatMap(({ nodes }) => nodes).filter(({ status }) => status === 'pending')
    return open.flatMap(({ cache }) => cache?.why.filter((reason) => reason.startsWith('waits for run ')) ?? [])
  }
  await expect.poll(async () => (await reasons()).length).toBe(count)
}

/** Takes every slot of the engine for runs of a flow of its own: what is submitted from now on stays queued until they end. */
export async function takeAllSlots(engine: TestEngine, slots: number) {
  const taken = Promise.withResolvers<void>()
  const end = Promise.withResolvers<Record<string, unknown>>()
  let begun = 0
  engine.code['holder'] = () => {
    if (++begun === slots) taken.resolve()
    return end.promise
  }
  await engine.publish('holding', { nodes: [flowNode('holder', [], { cache: false })] })
  const runs = await Promise.all(Array.from({ length: slots }, () => engine.submit('holding')))
  await taken.promise
  return { runs, end: () => end.resolve({}) }
}
