import { VirtualClock } from '@flow-service/core/testing'
import type { CommandContext, CommandModel, CommandReading } from '@flow-service/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { openChatServer } from '../../../commands-lm/test/chat-server.ts'
import { openCommandsModel } from '../../src/commands/model.ts'
import { resolveConfig, type ServiceConfig } from '../../src/config.ts'
import { AddressRules } from '../../src/egress/address-rules.ts'
import { createDialer } from '../../src/egress/dialer.ts'
import { createOutgoingFetch } from '../../src/egress/outgoing-fetch.ts'
import { lookup } from '../egress/hosts.ts'

const context: CommandContext = { presence: null, outdoor: 20, dark: false, devices: [] }
const call = { call: 'lights_off', area: 'kitchen', temperature: null, delay_s: 0, confidence: 0.9 }
/** Requests that no test makes. */
const nothing = { fetch: () => Promise.reject(new Error('nothing goes out')) }

let clock: VirtualClock
let server: Awaited<ReturnType<typeof openChatServer>>
beforeAll(async () => {
  server = await openChatServer()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  clock = new VirtualClock(0)
  server.asked.splice(0)
})

/** The model of a configuration, whose requests go out as those of nodes do. */
async function open(options: ServiceConfig) {
  const config = resolveConfig({ commandsUrl: server.url, commandsModelName: 'small', ...options }, {})
  const rules = new AddressRules({ isProduction: config.environment === 'production', allow: config.egressAllow })
  const { fetch, close } = createOutgoingFetch(createDialer({ rules, lookup }))
  const model = await openCommandsModel({ clock, config, outgoing: { fetch } })
  if (model === null) throw new Error('there is no model')
  const interpret = async () => model.interpret('lights off', context)
  return { interpret, [Symbol.asyncDispose]: close }
}

test('a model of the settings is asked by the way out of nodes', async () => {
  await using model = await open({ commandsToken: 'token' })
  server.says({ calls: [call] })
  expect(await model.interpret()).toMatchObject([{ call: 'lights_off', area: 'kitchen', confidence: 0.9 }])
  expect(server.asked.map(({ body, headers }) => [body.model, headers.authorization, headers['user-agent']])).toEqual([
    ['small', 'Bearer token', 'flow-service'],
  ])
})

test('a long answer comes as a stream, and is read to a bound', async () => {
  await using model = await open({})
  server.says(JSON.stringify({ calls: [call], more: 'x'.repeat(100_000) }))
  expect(await model.interpret()).toHaveLength(1)
  server.says('x'.repeat(300_000))
  await expect(model.interpret()).rejects.toThrow(`the model at ${server.origin} answered more than 262144 bytes`)
})

test('in production it stands in a network that SERVICE_EGRESS_ALLOW names', async () => {
  server.says({ calls: [] })
  await using refused = await open({ environment: 'production' })
  await expect(refused.interpret()).rejects.toThrow(
    `the model at ${server.origin} could not be asked: nodes may not connect to 127.0.0.1: 127.0.0.1 is in a private network, which SERVICE_EGRESS_ALLOW does not name`,
  )
  expect(server.asked).toEqual([])
  await using allowed = await open({ environment: 'production', egressAllow: ['127.0.0.0/8'] })
  expect(await allowed.interpret()).toEqual([])
})

test.each(['http://169.254.169.254/v1', 'http://meta.example/v1', 'http://[::ffff:169.254.169.254]/v1'])(
  '%s hands out credentials, and is never asked',
  async (commandsUrl) => {
    await using model = await open({ commandsUrl, egressAllow: ['0.0.0.0/0', '::/0'] })
    await expect(model.interpret()).rejects.toThrow('is the address of a metadata service')
  },
)

test('a redirect to a private address ends there', async () => {
  await using inside = await openChatServer()
  inside.says({ calls: [call] })
  server.sends(307, '', { location: `${inside.url}/chat/completions` })
  await using model = await open({})
  await expect(model.interpret()).rejects.toThrow('redirects elsewhere (307), which is not followed')
  expect(inside.asked).toEqual([])
})

test('without a model of the host or the settings there is none, and nodes ask the package', async () => {
  expect(await openCommandsModel({ clock, config: resolveConfig({}, {}), outgoing: nothing })).toBeNull()
})

describe("a model of the host's own code", () => {
  const own = async (commandsModel: CommandModel): Promise<CommandModel> => {
    const config = resolveConfig({ commandsUrl: server.url, commandsModelName: 'small', commandsModel }, {})
    const model = await openCommandsModel({ clock, config, outgoing: nothing })
    if (model === null) throw new Error('there is no model')
    return model
  }

  test('wins over that of the settings', async () => {
    const readings: CommandReading[] = [
      { call: 'lights_off', area: 'office', kind: 'light', args: {}, delay_s: 0, confidence: 1 },
    ]
    const model = await own({ interpret: () => readings })
    expect(await model.interpret('lights off', context)).toBe(readings)
    expect(server.asked).toEqual([])
    expect(clock.pending).toBe(0)
  })

  test('fails as it does', async () => {
    const broken = new RangeError('no words')
    const throws = await own({
      interpret() {
        throw broken
      },
    })
    await expect(throws.interpret('lights off', context)).rejects.toBe(broken)
    expect(clock.pending).toBe(0)
  })

  test('is given up after 10 s, and hears of it', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const model = await own({
      interpret(_prompt, _context, signal) {
        signals.push(signal)
        return new Promise(() => {})
      },
    })
    let error: unknown = null
    const asked = Promise.resolve(model.interpret('lights off', context)).catch((thrown: unknown) => (error = thrown))
    await clock.advance(9999)
    expect(error).toBeNull()
    await clock.advance(1)
    await asked
    expect(error).toMatchObject({ name: 'timeout', message: 'the model of commands has not answered within 10 s' })
    expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  })

  test('ends with the node that asks it', async () => {
    const stop = new AbortController()
    const model = await own({ interpret: () => new Promise(() => {}) })
    const asked = model.interpret('lights off', context, stop.signal)
    const reason = new Error('the node stops')
    stop.abort(reason)
    await expect(asked).rejects.toBe(reason)
    await expect(model.interpret('lights off', context, stop.signal)).rejects.toBe(reason)
    expect(clock.pending).toBe(0)
  })
})
