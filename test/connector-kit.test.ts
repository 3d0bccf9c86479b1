/** What the test kit of connectors stands for: the same connector in an engine and in the kit. */
import { Connector, nodeTypeOf } from '@flow-service/connector-sdk'
import { mounted } from '@flow-service/connector-sdk/testing'
import { LiveRuntime, NodeRegistry } from '@flow-service/core'
import { memoryHost } from '@flow-service/core/testing'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

/** What poll() gives, one after the other; errors are thrown. */
const readings: readonly unknown[] = [
  { t: 1 },
  { t: 1 },
  null,
  { zz: 1 },
  { t: 'warm' },
  { t: Number.NaN },
  { t: 2, u: 'x', zz: 3 },
  new Error('no answer'),
  new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
  { t: undefined },
  { t: 3, u: 'x' },
  5,
]

/** A connector with readings of its own. */
function thermometer() {
  const left = [...readings]
  return class extends Connector {
    static readonly contract = 1
    override async poll() {
      const reading = left.shift()
      if (reading instanceof Error) throw reading
      return (reading ?? null) as Readonly<Record<string, unknown>> | null
    }
    override async start() {
      for (const key of ['', 'a/b', 'x'.repeat(201)])
        await this.store.set(key, '').catch((error: Error) => this.ctx.log(`${error.name}: ${error.message}`))
      await super.start()
    }
  }
}

const outputs = { t: 'float', u: 'str' } as const
const settings = { poll_interval: 1 }

async function inEngine(): Promise<unknown[]> {
  const host = memoryHost()
  const runtime = new LiveRuntime(host, new NodeRegistry([nodeTypeOf('thermometer', thermometer())]))
  const ports = Object.entries(outputs).map(([name, dtype]) => ({ direction: 'output', name, dtype }))
  const nodes = [{ id: 'node', type: 'thermometer', settings, ports }]
  const flow = await runtime.start(normalizeDocument('flow', flowDocumentInputSchema.parse({ nodes })))
  const told: unknown[] = [host.logs.map(({ text }) => text)]
  for (const _reading of readings) {
    await host.advance(told.length === 1 ? 0 : 1000)
    const [state] = flow.nodeStates()
    told.push([host.values('flow.t'), host.values('flow.u'), state?.health, state?.message])
  }
  await runtime.close()
  return told
}

async function inKit(): Promise<unknown[]> {
  const node = await mounted(thermometer(), { settings, outputs })
  const told: unknown[] = [[...node.ctx.logs]]
  for (const _reading of readings) {
    await node.advance(told.length === 1 ? 0 : 1000)
    told.push([node.ctx.values('t'), node.ctx.values('u'), node.health.status, node.health.message])
  }
  await node.stop()
  return told
}

test('a connector publishes the same in the kit as in an engine, and is refused the same in the same words [R365, R367, R387]', async () => {
  const engine = await inEngine()
  expect(await inKit()).toEqual(engine)
  expect(engine[4]).toEqual([[1], [], 'degraded', 'there is no output port "zz"; the node has "t", "u"'])
})
