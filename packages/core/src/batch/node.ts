/**
 * One node of a run, from its stage key to its outputs. Invariants batch.B3, batch.B4, batch.B8 and
 * batch.B10 of DESIGN.md.
 * @module
 */
import type { AnyNodeDefinition, Values } from '@flow-service/connector-sdk'
import { type ArtifactRef, type FlowNode, MAX_STORED_VALUE_BYTES, type NodeCache } from '@flow-service/protocol'

import { EngineContext } from '../engine-context.ts'
import { failureOf } from '../failure.ts'
import { NodeLife, parseSettings } from '../node-life.ts'
import { mayRetry } from '../registry.ts'
import { openValues, storedKinds, storeLarge } from '../stored-value.ts'
import type { BatchContext, NodeEnd, Stage, StageEnd, StageTake, Turn } from './context.ts'
import { BatchExecution, withNulls } from './execution.ts'
import { attempted } from './retry.ts'
import { pythonOf, stageKey, stageParts } from './stage-key.ts'
import { missReasons } from './stage-miss.ts'

/** Whether there is code that could be executed again. */
export const hasCode = ({ source, entry }: FlowNode): boolean => source !== null || entry !== null

/** Executes a node, or takes its outputs from the cache. Never rejects. */
export async function executeNode(turn: Turn): Promise<NodeEnd> {
  const { graphNode, context } = turn
  return endOf(context, async () => {
    const definition = context.registry.get(graphNode.node.type)
    if (definition === undefined) throw new Error(context.registry.absence(graphNode.node.type))
    return definition.code === undefined ? execute(turn, definition, null) : executeStage(turn, definition)
  })
}

/** What `work` gives; the end of the node where it rejects. */
async function endOf<T>({ signal }: BatchContext, work: () => Promise<T>): Promise<T | NodeEnd> {
  try {
    return await work()
  } catch (error) {
    return signal.aborted ? { status: 'cancelled' } : { status: 'error', error: failureOf(error) }
  }
}

/** A node with code of its own: its outputs are known by a key. */
async function executeStage(turn: Turn, definition: AnyNodeDefinition): Promise<NodeEnd> {
  const { graphNode, context } = turn
  const { node } = graphNode
  const inputs = withNulls(graphNode, turn.inputs)
  const key = stageKey(node, definition, inputs)
  if (!hasCode(node)) return execute(turn, definition, { key, cache: null })
  if (!node.cache) {
    return execute(turn, definition, { key, cache: { hit: false, key: null, why: [missReasons.cacheFalse] } })
  }
  const python = pythonOf(node, definition, turn.document)
  const stage: Stage = { key, node: node.id, python, parts: () => stageParts(node, definition, inputs, turn.from) }
  const goingOn = goingOnOf(turn)
  if (goingOn !== null) {
    // what executes already takes nothing over
    await cached(turn, () => context.cache.take(stage, { fresh: true }))
    return settled(turn, definition, stage, goingOn.cache)
  }
  const take = await taken(turn, stage)
  if (take === null) return { status: 'cancelled' }
  if (take.is === 'hit') {
    const cache = { hit: true, key, why: [...take.why] }
    return { status: 'ok', outputs: take.outputs, key, cachedFrom: take.run, cache }
  }
  return settled(turn, definition, stage, { hit: false, key, why: [...take.why] })
}

/** Executes a stage, and tells the cache what has become of it. */
async function settled(
  turn: Turn,
  definition: AnyNodeDefinition,
  stage: Stage,
  cache: NodeCache | null,
): Promise<NodeEnd> {
  const { context } = turn
  const { key } = stage
  const end = await endOf(context, () => execute(turn, definition, { key, cache }))
  await cached(turn, () => context.cache.settle(stage, stageEnd(end)))
  return end.status === 'ok' ? { ...end, key } : end
}

/** What an earlier execution of the run has left of a node whose code executes. */
function goingOnOf({ context, graphNode }: Pick<Turn, 'context' | 'graphNode'>) {
  const earlier = context.earlier?.get(graphNode.node.id)
  return earlier?.status === 'begun' ? earlier.goingOn : null
}

/** What there is for a stage, after all waiting for others that execute it; null when the run is cancelled first. */
async function taken({ aside, ...turn }: Turn, stage: Stage): Promise<Exclude<StageTake, { is: 'attached' }> | null> {
  const { context } = turn
  const { cache, noCache: fresh, host, signal } = context
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    const take = await cached(turn, () => cache.take(stage, { fresh }))
    if (take === null) return { is: 'miss', why: [missReasons.noAnswer] }
    if (take.is !== 'attached') return take
    const why = [`waits for run ${take.run}, which executes the same stage`]
    const waiting = { hit: false, key: stage.key, why }
    context.observe({ kind: 'node', node: stage.node, status: 'pending', atMs: host.clock.now(), cache: waiting })
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    await aside(overOrAborted(take.over, signal))
    if (signal.aborted) return null
  }
}

async function overOrAborted(over: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop)
  await Promise.race([over, promise])
  signal.removeEventListener('abort', stop)
}

function stageEnd(end: NodeEnd): StageEnd {
  if (end.status === 'ok') return fits(end.outputs) ? { is: 'ok', outputs: end.outputs } : { is: 'too_large' }
  return { is: end.status === 'error' ? 'failed' : 'cancelled' }
}

function fits(outputs: Values): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(outputs)) <= MAX_STORED_VALUE_BYTES
  } catch {
    // values may be nested deeper than calls can be
    return false
  }
}

/** A cache that fails costs time, and no results: the node's log tells. */
async function cached<T>({ graphNode, context }: Omit<Turn, 'aside'>, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    const text = `the stage cache did not answer: ${failureOf(error).message}`
    context.observe({ kind: 'log', node: graphNode.node.id, stream: 'stderr', text })
    return null
  }
}

type StageOfTurn = { readonly key: string; readonly cache: NodeCache | null } | null

/** Executes the node's handlers, again after a failure where the node's `retry` says so. */
function execute(turn: Turn, definition: AnyNodeDefinition, stage: StageOfTurn): Promise<NodeEnd> {
  const { node, inputs, outputs } = turn.graphNode
  const settings = parseSettings(turn.context, definition, node)
  const again = node.retry !== null && mayRetry(definition, { id: node.id, mode: 'batch', settings, inputs, outputs })
  return attempted(turn, again ? node.retry : null, (attempt, onBegin) =>
    executeOnce(turn, definition, { stage, settings, attempt, onBegin }),
  )
}

interface Attempt {
  readonly stage: StageOfTurn
  readonly settings: Values
  /** From 1. */
  readonly attempt: number
  /** A worker has begun to execute the node's code. */
  readonly onBegin: () => void
}

async function executeOnce(turn: Turn, definition: AnyNodeDefinition, tried: Attempt): Promise<NodeEnd> {
  const { stage, settings, attempt, onBegin } = tried
  const { graphNode, document, context } = turn
  const { host } = context
  // what has code of its own gets them where that executes
  const isOpened = definition.code === undefined && storedKinds(turn.inputs) !== null
  const inputs = isOpened ? await openValues(turn.inputs, (digest) => host.artifacts.load(digest)) : turn.inputs
  const { id } = graphNode.node
  const earlier = context.earlier?.get(id)
  const emitted = earlier?.status === 'begun' && earlier.attempt === attempt ? earlier.goingOn?.emitted : undefined
  const key = stage?.key ?? null
  const execution = new BatchExecution({ graphNode, inputs, context, key, attempt, onBegin, emitted: emitted ?? {} })
  const namespace = context.registry.namespaceOf(definition)
  const ctx = new EngineContext({ host, document, owner: execution, ports: graphNode, settings, namespace })
  const cache = stage?.cache ?? undefined
  context.observe({ kind: 'node', node: id, status: 'running', atMs: host.clock.now(), ...(cache && { cache }) })
  await context.beginning?.(graphNode.node, attempt)
  const life = new NodeLife(definition, ctx)
  const failed = await endOf(context, () =>
    life.spend({ clock: host.clock, signal: context.signal }, (instance) =>
      Promise.race([execution.handle(definition, instance), execution.failed]),
    ),
  )
  if (failed) return failed
  const saved = (ref: ArtifactRef): void => context.observe({ kind: 'artifact', node: id, ref })
  return { status: 'ok', outputs: await storeLarge(execution.outputs, host, saved) }
}
