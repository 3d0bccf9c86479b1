/**
 * Executes the code of flow objects in the test's own process, and nodes that are mocked in place of any code.
 * @module
 */
import { createHash } from 'node:crypto'

import type { AnyNodeDefinition, NodeContext, NodeInstance, Outcome, Values } from '@flow-service/connector-sdk'
import { type CodeCall, CodeError, type Host } from '@flow-service/core'
import type { AnyFlow, CodeContext, Definition } from '@flow-service/protocol'

import { generator, outcomeOf } from './call-definition.ts'

/** Stands in for a node: gets values by input port, gives values by output port. */
export type Mock = (values: Values) => Values | undefined | void | Promise<Values | undefined | void>

/** Mocks by node id. */
export type Mocks = ReadonlyMap<string, Mock>

/** A node type whose nodes ask for a mock first, each time. `flow` knows the initial values of passive inputs. */
export function mockable(definition: AnyNodeDefinition, mocks: Mocks, flow: AnyFlow): AnyNodeDefinition {
  return {
    ...definition,
    async start(ctx: NodeContext) {
      // what is mocked from the start opens nothing
      const real: NodeInstance = mocks.has(ctx.node) ? {} : await definition.start(ctx)
      const instead = (values: Values, call: () => Outcome): Outcome => {
        const mock = mocks.get(ctx.node)
        return mock === undefined ? call() : mock(withInitials(values, flow.definitions.get(ctx.node)))
      }
      return {
        ...real,
        onValue: (port, value) => instead({ [port]: value }, () => real.onValue?.(port, value)),
        onInput: (values) => instead(values, () => real.onInput?.(values)),
        ...(real.onTrigger === undefined && !mocks.has(ctx.node)
          ? {}
          : { onTrigger: (values) => instead(values, () => real.onTrigger?.(values)) }),
        onTimer: (key, data, dueMs) => real.onTimer?.(key, data, dueMs),
        stop: () => real.stop?.(),
      }
    },
  }
}

/** What executed code needs of the test's world. */
type CodeHost = Pick<Host, 'artifacts' | 'clock'>

/** `Host.call` over the definitions of a flow object. */
export function codeOf(flow: AnyFlow, host: () => CodeHost): (call: CodeCall) => Promise<Values> {
  return async (call) => {
    const { id } = call.node
    const definition = flow.definitions.get(id)
    if (definition?.run === undefined) {
      const what = definition?.kind === 'python' ? 'is Python, which a test does not execute' : 'has no code here'
      throw new CodeError('Error', `node "${id}" ${what}; give it a stand-in with mock("${id}", fn)`, null)
    }
    try {
      return await execute(definition, call, host())
    } catch (error) {
      throw error instanceof CodeError ? error : codeError(error)
    }
  }
}

async function execute(definition: Definition, call: CodeCall, { artifacts, clock }: CodeHost): Promise<Values> {
  const emit = (port: string, value: unknown): void => {
    if (value !== undefined && value !== null) call.onEmit({ [port]: value }, clock.now())
  }
  const settings = (definition.settings?.parse(call.node.settings) ?? call.node.settings) as object
  const args = { ...withInitials(call.inputs, definition), ...settings }
  const outcome = await outcomeOf(definition.run?.(args, contextOf(call, artifacts, emit)), emit)
  const values = Object.entries(outcome ?? {}).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(values)
}

/** Passive inputs that have no value yet have their initial one. */
function withInitials(inputs: Values, definition: Definition | undefined): Values {
  const given = Object.entries(inputs).filter(([, value]) => value !== null)
  return { ...inputs, ...definition?.initials, ...Object.fromEntries(given) }
}

function contextOf(call: CodeCall, artifacts: Host['artifacts'], emit: CodeContext['emit']): CodeContext {
  return {
    emit,
    saveArtifact(data, { name = '', mediaType = 'application/octet-stream', volatile = false } = {}) {
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
      return artifacts.save(bytes, { name, mediaType, volatile })
    },
    loadArtifact: (ref) => artifacts.load(typeof ref === 'string' ? ref : ref.digest),
    signal: call.signal,
    random: generator(createHash('sha256').update(call.seed).digest().readUInt32BE()),
    log: (message, fields) => call.onLog('stdout', fields ? `${message} ${JSON.stringify(fields)}` : message),
    run: call.run,
    delivery: call.id,
  }
}

function codeError(error: unknown): CodeError {
  if (!(error instanceof Error)) return new CodeError('Error', String(error), null)
  return new CodeError(error.name === 'Error' ? error.constructor.name : error.name, error.message, error.stack ?? null)
}
