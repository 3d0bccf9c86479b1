/**
 * One node of a run, from its stage key to its outputs. Invariants B3-B6 of DESIGN.md.
 * @module
 */
import type { AnyNodeDefinition, Values } from '@flow-service/connector-sdk'
import { type FlowDocument, MAX_STORED_VALUE_BYTES } from '@flow-service/protocol'
import * as Cause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'

import type { BatchContext } from './batch-context.ts'
import { BatchExecution, withNulls } from './batch-execution.ts'
import { onClock } from './effect-clock.ts'
import { EngineContext } from './engine-context.ts'
import { type Failure, failureOf } from './failure.ts'
import type { GraphNode } from './graph.ts'
import { parseSettings, startNode } from './node-life.ts'
import { stageKey } from './stage-key.ts'

/** How a node of a run ended, as its last event tells it. */
export type NodeEnd =
  | { readonly status: 'ok'; readonly outputs: Values; readonly key?: string; readonly cachedFrom?: string | null }
  | { readonly status: 'error'; readonly error: Failure }
  | { readonly status: 'skipped' | 'cancelled' }

/** A node whose turn it is. */
export interface Turn {
  readonly graphNode: GraphNode
  /** Values of the inputs that have one. */
  readonly inputs: Values
  readonly document: FlowDocument
  readonly context: BatchContext
}

/** Executes a node, or takes its outputs from the cache. Never rejects. */
export async function executeNode(turn: Turn): Promise<NodeEnd> {
  const { graphNode, context } = turn
  try {
    const definition = context.registry.get(graphNode.node.type)
    if (definition === undefined) throw new Error(`there is no node type "${graphNode.node.type}"`)
    return await (definition.code === undefined ? execute(turn, definition, null) : executeStage(turn, definition))
  } catch (error) {
    return context.signal.aborted ? { status: 'cancelled' } : { status: 'error', error: failureOf(error) }
  }
}

/** A node with code of its own: its outputs are known by a key. */
async function executeStage(turn: Turn, definition: AnyNodeDefinition): Promise<NodeEnd> {
  const { graphNode, inputs, context } = turn
  const { node } = graphNode
  const key = stageKey(node, definition, withNulls(graphNode, inputs))
  if (!node.cache || (node.source === null && node.entry === null)) return execute(turn, definition, key)
  const hit = context.noCache ? null : await cached(turn, () => context.cache.lookup(key))
  if (hit !== null) return { status: 'ok', outputs: hit.outputs, key, cachedFrom: hit.run }
  const end = await execute(turn, definition, key)
  if (end.status !== 'ok') return end
  const { outputs } = end
  if (Buffer.byteLength(JSON.stringify(outputs)) > MAX_STORED_VALUE_BYTES) return end
  await cached(turn, () => context.cache.store(key, { node: node.id, outputs }))
  return { ...end, key }
}

/** A cache that fails costs time, and no results: the node's log tells. */
async function cached<T>({ graphNode, context }: Turn, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    const text = `the stage cache did not answer: ${failureOf(error).message}`
    context.observe({ kind: 'log', node: graphNode.node.id, stream: 'stderr', text })
    return null
  }
}

async function execute(turn: Turn, definition: AnyNodeDefinition, key: string | null): Promise<NodeEnd> {
  const { graphNode, inputs, document, context } = turn
  const { host } = context
  const { id } = graphNode.node
  const execution = new BatchExecution({ graphNode, inputs, context, key })
  const settings = parseSettings(context.registry, definition, graphNode.node)
  const ctx = new EngineContext({ host, document, owner: execution, ports: graphNode, settings })
  context.observe({ kind: 'node', node: id, status: 'running', atMs: host.clock.now() })
  const life = Effect.gen(function* () {
    const instance = yield* startNode({ definition, context: ctx })
    yield* Effect.tryPromise({
      try: () => Promise.race([execution.handle(definition, instance), execution.failed]),
      catch: (error) => error,
    })
  })
  const exit = await Effect.runPromiseExit(onClock(host.clock, Effect.scoped(life)), { signal: context.signal })
  if (Exit.isSuccess(exit)) return { status: 'ok', outputs: execution.outputs }
  if (context.signal.aborted) return { status: 'cancelled' }
  return { status: 'error', error: failureOf(Cause.squash(exit.cause)) }
}
