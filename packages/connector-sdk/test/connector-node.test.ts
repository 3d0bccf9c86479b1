/** What an engine makes of the exports of packages. */
import { expect, test } from 'vitest'
import * as z from 'zod'

import {
  Connector,
  ConnectorParams,
  ContractError,
  defineNode,
  type NodePort,
  type NodeShape,
  nodeTypeOf,
  secret,
} from '../src/index.ts'

class Meter extends Connector<typeof Meter.Params, typeof Meter.ports> {
  static readonly contract: number = 1
  static override readonly Params = ConnectorParams.extend({ host: z.string().describe('Address.'), token: secret() })
  static override readonly ports = { outputs: { power: 'float' }, inputs: { limit: 'float' } } as const
  override async poll() {
    return { power: 1 }
  }
  override async write() {}
}

const port = (name: string): NodePort => ({
  port: name,
  message: `f.${name}`,
  dtype: 'float',
  stream: false,
  trigger: true,
})

test('a class is a node type by the name of its entry point [R347, R348, R350]', () => {
  const type = nodeTypeOf('acme_meter', Meter)
  expect([type.type, type.title, type.description, type.category]).toEqual([
    'acme_meter',
    'acme_meter',
    '',
    'connector',
  ])
  class Titled extends Meter {
    static override readonly contract = 1
    static override readonly title: string = 'ACME meter'
    static override readonly description: string = 'Reads.'
    static override readonly idempotent: boolean = false
  }
  const titled = nodeTypeOf('acme_meter', Titled)
  expect([titled.title, titled.description, titled.idempotent]).toEqual(['ACME meter', 'Reads.', false])
})

test('its settings are a JSON Schema with the interval, and credentials are marked [R354, R356, R357]', () => {
  const schema = z.toJSONSchema(nodeTypeOf('acme_meter', Meter).settings, { io: 'input' })
  expect(schema.properties).toMatchObject({
    poll_interval: { type: 'number', minimum: 0, default: 0 },
    host: { type: 'string', description: 'Address.' },
    token: { 'x-secret': true },
  })
  expect(schema.required).toEqual(['host', 'token'])
})

test('a class that only reads has no inputs, and one that declares ports has these [R360, R377]', () => {
  class Reader extends Connector {
    static readonly contract = 1
    override async poll() {
      return null
    }
  }
  expect(nodeTypeOf('reader', Reader).ports).toEqual({ inputs: 'none', outputs: 'any', fixed: [] })
  class Pusher extends Connector {
    static readonly contract = 1
  }
  expect([nodeTypeOf('reader', Reader).modes, nodeTypeOf('pusher', Pusher).modes]).toEqual([
    ['live', 'batch'],
    ['live'],
  ])
  const type = nodeTypeOf('acme_meter', Meter)
  const shape = { id: 'm', mode: 'live', settings: {} } as const
  expect(type.check?.({ ...shape, inputs: [port('limit')], outputs: [port('power')] })).toEqual([])
  expect(type.check?.({ ...shape, inputs: [], outputs: [port('power'), port('voltage')] })).toEqual([
    {
      code: 'unsupported_ports',
      message: 'nodes of type "acme_meter" have no output port "voltage"; use "power"',
      path: '/outputs/1',
    },
  ])
})

test('a class says itself what is wrong with a node beyond its schema and its ports', () => {
  class Choosy extends Meter {
    static override readonly contract = 1
    static override check({ settings, outputs }: NodeShape<z.output<typeof Meter.Params>>) {
      const isSpare = settings.host === 'spare' && outputs.length > 0
      return isSpare ? [{ code: 'unsupported_ports', message: 'the spare meter has no ports' } as const] : []
    }
  }
  const type = nodeTypeOf('acme_meter', Choosy)
  const of = (host: string, ...names: string[]) =>
    type
      .check?.({ id: 'm', mode: 'live', settings: { host }, inputs: [], outputs: names.map(port) })
      .map(({ message }) => message)
  expect([of('main', 'power'), of('spare', 'power'), of('spare')]).toEqual([[], ['the spare meter has no ports'], []])
  expect(of('spare', 'zz')).toEqual([expect.stringContaining('no output port "zz"'), 'the spare meter has no ports'])
})

test('the contract stands in the class itself, and is this one [R341, R343, R344, R345]', () => {
  class Inherited extends Meter {}
  class Later extends Meter {
    static override readonly contract = 2
  }
  class Earlier extends Meter {
    static override readonly contract = 0
  }
  const fault = (exported: unknown): string => {
    try {
      nodeTypeOf('acme', exported)
    } catch (error) {
      expect(error).toBeInstanceOf(ContractError)
      return (error as Error).message
    }
    return 'none'
  }
  expect(fault(Inherited)).toBe(
    'class Inherited declares no contract of its own; write "static contract = 1" in the class',
  )
  expect(fault(Later)).toBe(
    'class Later is written for contract 2 of connectors, and this engine has 1; use a newer engine',
  )
  expect(fault(Earlier)).toContain('install a newer version of the package')
  expect(fault(class {})).toContain('does not extend Connector')
  expect(fault(() => 1)).toContain('does not extend Connector')
  expect(fault(null)).toContain('is exported as null')
  expect(fault({ settings: 1, start: 1 })).toContain('no z.object')
  class Bare extends Meter {
    static override readonly contract = 1
    static override readonly Params = z.object({}) as never
  }
  expect(fault(Bare)).toContain('no extension of ConnectorParams')
  class Ported extends Meter {
    static override readonly contract = 1
    static override readonly ports = { outputs: { power: 'double' } } as never
  }
  expect(fault(Ported)).toContain('outputs.power is no dtype')
})

test('what defineNode gives is a node type by the name of its entry point', () => {
  const definition = defineNode({
    type: 'limit',
    title: 'Limit',
    description: '',
    category: 'logic',
    settings: z.object({}),
    arrival: 'each',
    start: () => ({}),
  })
  expect(nodeTypeOf('acme_limit', definition)).toMatchObject({ type: 'acme_limit', title: 'Limit' })
  expect(() => nodeTypeOf('acme_limit', { ...definition, contract: 2 })).toThrow('contract 2')
})
