import type { AnyNodeDefinition } from '@flow-service/connector-sdk'
import * as nodes from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

import { nodeTypeEntry } from '../../core/src/index.ts'
import { ContractFlow } from './contract-flow.ts'
import { type Sample, samples } from './samples.ts'
import { findings, shapeOf } from './test-kit.ts'

test('python is the only type that has a source file [R163]', () => {
  expect(nodes.nodeTypes.filter(({ code }) => code === 'python').map(({ type }) => type)).toEqual(['python'])
})

test('the catalogue holds each exported type once, and each has a sample here', () => {
  const exported = Object.values(nodes).filter((value): value is AnyNodeDefinition => 'type' in value)
  expect(new Set(nodes.nodeTypes)).toEqual(new Set(exported))
  expect(nodes.nodeTypes.map(({ type }) => type).toSorted()).toEqual(Object.keys(samples).toSorted())
})

const each = nodes.nodeTypes.map((definition) => [definition.type, definition] as const)

describe.each(each)('%s', (type, definition) => {
  const { roles, credentials = [] } = samples[type]!
  const [usual] = roles
  const given = usual!.setup.settings ?? {}
  const isFree = definition.code !== undefined
  const schema = z.toJSONSchema(definition.settings, { io: 'input' })
  const rebuilt = z.fromJSONSchema(JSON.parse(JSON.stringify(schema)) as z.core.JSONSchema.JSONSchema)

  test('has a title, a description and a text for each setting, with the unit of each time', () => {
    expect(definition.title).not.toBe('')
    expect(definition.description).not.toBe('')
    const texts = Object.entries(schema.properties ?? {}).map(
      ([name, item]) => [name, Reflect.get(Object(item), 'description')] as const,
    )
    expect(texts.filter(([, text]) => typeof text !== 'string' || text === '')).toEqual([])
    const timed = texts.filter(([name]) => /^(timeout|interval|delay|wait|start_delay|keepalive)$/.test(name))
    expect(timed.filter(([, text]) => !/second/i.test(String(text)))).toEqual([])
  })

  test('has an entry in the catalogue with a title for each setting, and nothing else beyond its schema [R158]', () => {
    const { params, ...entry } = nodeTypeEntry(definition)
    expect(entry).toMatchObject({ type, title: definition.title, description: definition.description })
    const properties = Object.entries((params as { properties: Record<string, { title?: string }> }).properties)
    expect(properties.map(([name]) => name)).toEqual(Object.keys(schema.properties ?? {}))
    expect(properties.filter(([, { title }]) => !/^[A-Z][A-Za-z ]+$/.test(title ?? ''))).toEqual([])
    expect(JSON.stringify(Object.fromEntries(properties), withoutTitles)).toBe(JSON.stringify(schema.properties))
  })

  test('marks each setting that takes a credential, and no other, as a secret', () => {
    const marked = Object.entries(schema.properties ?? {}).filter(([, item]) => Reflect.get(Object(item), 'x-secret'))
    expect(marked.map(([name]) => name)).toEqual(credentials)
    const stored = marked.map(([name]) => [name, { $secret: 'stored' }])
    expect(definition.settings.safeParse({ ...given, ...Object.fromEntries(stored) }).success).toBe(true)
  })

  test('has settings that survive the trip through JSON Schema, and through JSON with every default [R051]', () => {
    expect(rebuilt.safeParse(given).success).toBe(true)
    expect(rebuilt.safeParse({ ...given, no_such_setting: 1 }).success).toBe(isFree)
    const parsed = definition.settings.parse(given)
    expect(definition.settings.parse(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed)
    expect(rebuilt.safeParse(parsed).success).toBe(true)
  })

  test('says of bad settings which one, its value, and what to do; of a credential not the value', () => {
    expect(usual!.bad.length).toBeGreaterThan(0)
    for (const [settings, text] of usual!.bad) {
      const issues = new ContractFlow(definition, { ...usual!.setup, settings }).issues()
      const [first] = issues
      expect([settings, first?.message]).toEqual([settings, expect.stringContaining(text)])
      expect(first).toMatchObject({
        severity: 'error',
        node: 'n',
        path: expect.stringMatching(/^\/nodes\/0\/settings/),
      })
      expect(JSON.stringify(issues)).not.toContain('77123')
    }
  })

  test('refuses settings that it does not have, and names those that it has', () => {
    const issues = new ContractFlow(definition, {
      ...usual!.setup,
      settings: { ...given, no_such_setting: 1 },
    }).issues()
    if (isFree) return expect(issues).toEqual([])
    expect(issues).toMatchObject([{ code: 'bad_setting', path: '/nodes/0/settings/no_such_setting' }])
    for (const name of Object.keys(schema.properties ?? {})) expect(issues[0]?.message).toContain(name)
  })

  test.each(usual!.misfits)('refuses %j with an issue that says what to do', (setup, code) => {
    const [finding] = findings(definition, setup)
    expect(finding).toMatchObject({ code, message: expect.stringContaining('; ') })
    expect(() => shapeOf(definition, setup)).not.toThrow()
  })

  describe.each(roles.map((sample) => [roleOf(sample), sample] as const))('%s', (_role, sample) => {
    const { setup, answer } = sample
    const create = () => new ContractFlow(definition, setup)

    test('has nothing wrong', () => {
      expect(create().issues()).toEqual([])
    })

    test('stops when it has just been started, twice, and leaves nothing', async () => {
      const flow = create()
      await flow.start()
      await flow.stop()
      await flow.stop()
      await flow.advance(1_000_000)
      expect([flow.left, flow.published]).toEqual([[], []])
    })

    test('stops while it is busy, twice: no timer, connection or route is left, and nothing is published afterwards', async () => {
      const flow = create()
      await flow.start()
      await flow.use()
      expect(flow.done + flow.left.length).toBeGreaterThan(0)
      await flow.stop()
      await flow.stop()
      const { done } = flow
      expect([flow.left, flow.kept]).toEqual([[], 0])
      // what was asked is answered late, and more comes in
      await flow.answer(answer)
      await flow.use()
      await flow.advance(1_000_000)
      expect([flow.done, flow.left]).toEqual([done, []])
    })

    test('leaves nothing when it fails to start, or a later node of its flow does', async () => {
      for (const start of [
        (flow: ContractFlow) => flow.startBroken(),
        (flow: ContractFlow) => flow.start({ fails: true }),
      ]) {
        const flow = create()
        await expect(start(flow)).rejects.toThrow('does not start')
        await flow.use()
        await flow.stop()
        await flow.advance(1_000_000)
        expect([flow.left, flow.published]).toEqual([[], []])
      }
    })
  })
})

const withoutTitles = (key: string, value: unknown): unknown =>
  key === 'title' && typeof value === 'string' ? undefined : value

const everyRole = each.flatMap(([type, definition]) =>
  samples[type]!.roles.map((sample) => ({ type, role: roleOf(sample), definition, sample })),
)

test.each(everyRole.filter(({ sample }) => sample.setup.inputs !== undefined))(
  '$type with $role fails at a value off the dtype of its input, does nothing with it, and takes the next one',
  async ({ definition, sample }) => {
    const flow = new ContractFlow(definition, sample.setup)
    await flow.start({ dtype: 'float' })
    await flow.publish('off')
    expect(flow.state).toMatchObject({ status: 'failed', error: { type: 'DtypeViolation' } })
    expect(flow.state.error?.message).toMatch(/is float, which "off" of "f\.\w+" is not/)
    expect(flow.done).toBe(0)
    await flow.use()
    expect(flow.done).toBeGreaterThan(0)
    await flow.stop()
  },
)

test.each(everyRole.filter(({ sample }) => sample.offDtype !== undefined))(
  '$type with $role publishes nothing of what is off the dtype of its output, and says so',
  async ({ definition, sample: { setup, offDtype } }) => {
    const flow = new ContractFlow(definition, setup)
    await flow.start()
    await flow.use(offDtype)
    await flow.answer(offDtype)
    const told = [...flow.refusals, flow.state.error?.message, flow.state.message]
    expect([flow.published, told.filter((text) => text?.includes('float')).length]).toEqual([[], 1])
    await flow.stop()
  },
)

/** The ports and settings that make a node what it is. */
function roleOf({ setup: { inputs = {}, outputs = {}, settings = {} } }: Sample): string {
  const names = (of: object): string => Object.keys(of).join(', ') || 'none'
  return `inputs ${names(inputs)}; outputs ${names(outputs)}; settings ${names(settings)}`
}
