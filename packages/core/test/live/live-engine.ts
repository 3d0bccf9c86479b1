/** An engine in memory with the flows of one test, and nodes whose executions the test ends. */
import type { FlowDocument } from '@flow-service/protocol'
import { onTestFinished } from 'vitest'

import { LiveRuntime, NodeRegistry, type StartOptions } from '../../src/index.ts'
import { memoryHost, type MemoryHostOptions } from '../../src/testing.ts'
import { pass, type } from '../documents.ts'

type Definitions = ConstructorParameters<typeof NodeRegistry>[0]

/** Closes when the test has ended. */
export function engine(definitions: Definitions, options: MemoryHostOptions = {}) {
  const host = memoryHost(options)
  const registry = new NodeRegistry([pass, ...definitions])
  const runtime = new LiveRuntime(host, registry)
  onTestFinished(() => runtime.close())
  const start = (document: FlowDocument, options?: StartOptions) => runtime.start(document, options)
  return { host, registry, runtime, start }
}

/** A node type `gated` whose executions end when the test says so; `running` has all that began. */
export function gated(more: Parameters<typeof type>[2] = {}) {
  const running: { node: string; value: unknown; end: () => void }[] = []
  const definition = type(
    'gated',
    ({ node }) => ({
      onValue: (_port, value) =>
        new Promise<undefined>((resolve) => running.push({ node, value, end: () => resolve(undefined) })),
    }),
    more,
  )
  return { running, definition }
}
