/** Readings of connectors in a live flow: when they are taken, what is published of them, what they say of health. */
import { Connector, type ConnectorParams, nodeTypeOf } from '@flow-service/connector-sdk'
import { expect, test } from 'vitest'

import { flow, input, output } from '../documents.ts'
import { turn } from '../turn.ts'
import { healthOf, meter, meters, type Reading, readings } from './connector-lab.ts'
import { engine } from './live-engine.ts'
import { rebuild } from './rebuilding.ts'

test('readings are taken at the start and each interval, and only changes are published, on the messages that ports are wired to [R361, R362, R366, R369]', async () => {
  const { lab, host, start } = meters()
  const given: Reading[] = [{ t: 1 }, { t: 1 }, null, { t: 2 }, { t: 2 }, { t: 1 }]
  lab.read = () => given.shift() ?? null
  await start(flow([meter({ poll_interval: 10 }, [output('t', { dtype: 'float' })])]))
  await host.advance(0)
  expect(readings(host)).toEqual([1])
  await host.advance(60_000)
  expect(readings(host)).toEqual([1, 2, 1])
  expect(host.cascades.map(({ origin }) => origin.kind)).toContain('reading')
})

test('a connector to which values come by themselves takes readings on request alone [R355]', async () => {
  const told: string[] = []
  class Stream extends Connector {
    static readonly contract = 1
    protected override get pollInterval() {
      return 0
    }
    override async poll() {
      told.push('poll')
      return null
    }
  }
  const { host, start } = engine([nodeTypeOf('stream', Stream)])
  const live = await start(
    flow([{ id: 'stream', type: 'stream', settings: { poll_interval: 1 }, ports: [output('t')] }]),
  )
  await host.advance(60_000)
  expect(told).toEqual([])
  live.trigger('stream', {})
  await turn()
  expect(told).toEqual(['poll'])
})

test('changes are told from what a port of a list was, even when the connector changes the same list', async () => {
  const { lab, host, start } = meters()
  const list = [1]
  lab.read = () => ({ t: list })
  await start(flow([meter({ poll_interval: 1 }, [output('t', { dtype: 'array' })])]))
  await host.advance(1000)
  list.push(2)
  await host.advance(2000)
  expect(readings(host)).toHaveLength(2)
})

test('a reading that was published before the node was made is no news', async () => {
  const { lab, host, start } = meters()
  lab.read = () => ({ t: 5 })
  const document = flow([meter({ poll_interval: 1 }, [output('t', { dtype: 'float' })])])
  const live = await start(document)
  await host.advance(1000)
  await rebuild({ host }, live, document, { restart: true })
  expect([readings(host), lab.meters.length]).toEqual([[5], 2])
})

test('an interval of 0 turns readings off [R355]', async () => {
  const { lab, host, start } = meters()
  await start(flow([meter({}, [output('t')])]))
  await host.advance(3_600_000)
  expect(lab.told).toEqual(['start meter.local'])
})

test('a reading that fails publishes nothing, and the next tick tries again [R365, R367, R370, R678]', async () => {
  const { lab, host, start } = meters()
  const given = [{ zz: 1 }, { t: 'warm' }, { t: 1, zz: 2 }, { t: 3 }]
  lab.read = () => given.shift() ?? null
  const live = await start(flow([meter({ poll_interval: 1 }, [output('t', { dtype: 'float' })])]))
  await host.advance(0)
  expect(healthOf(live)).toEqual([['degraded', 'there is no output port "zz"; the node has "t"']])
  await host.advance(1000)
  expect(healthOf(live)).toEqual([['degraded', 'output "t" is float, which "warm" is not']])
  await host.advance(1000)
  expect([healthOf(live)[0]?.[0], readings(host), live.nodeStates()[0]?.error]).toEqual(['down', [], null])
  await host.advance(1000)
  expect([healthOf(live), readings(host)]).toEqual([[['ok', null]], [3]])
})

test('a publication that fails is made again at the next tick [R371]', async () => {
  const { lab, host, start } = meters()
  lab.read = () => ({ t: 4 })
  const record = host.record.bind(host)
  let faults = 1
  Object.assign(host, {
    record: (...args: Parameters<typeof record>) => {
      if (faults-- > 0) throw new Error('the disk is full')
      record(...args)
    },
  })
  const live = await start(flow([meter({ poll_interval: 1 }, [output('t', { dtype: 'float' })])]))
  await host.advance(0)
  expect([healthOf(live), readings(host)]).toEqual([[['degraded', 'the disk is full']], []])
  await host.advance(1000)
  expect([healthOf(live), readings(host)]).toEqual([[['ok', null]], [4]])
})

test('health: one failure degrades, three are down, a success is ok; equal states are one event [R372, R398, R399, R443]', async () => {
  const { lab, host, start } = meters()
  let tries = 0
  lab.read = () => {
    throw new Error(`no answer ${++tries}`)
  }
  const live = await start(flow([meter({ poll_interval: 1 }, [output('t')])]))
  await host.advance(5000)
  const told = () => host.events.flatMap((event) => (event.type === 'health' ? [[event.status, event.message]] : []))
  expect(told()).toEqual([
    ['degraded', 'no answer 1'],
    ['down', 'no answer 3'],
  ])
  expect(healthOf(live)).toEqual([['down', 'no answer 6']])
  lab.read = () => null
  await host.advance(1000)
  expect(told().at(-1)).toEqual(['ok', null])
  const [own] = lab.meters
  own?.reportHealth('degraded', 'the battery is low')
  own?.reportHealth('degraded', 'the battery is low')
  expect(told().slice(3)).toEqual([['degraded', 'the battery is low']])
  // what a connector says while it is read holds
  lab.read = () => {
    own?.reportHealth('degraded', 'the battery is very low')
    return null
  }
  await host.advance(3000)
  expect([told().length, healthOf(live)]).toEqual([4, [['degraded', 'the battery is very low']]])
})

test('what is told of a reading that fails is its cause, where fetch says nothing [R372]', async () => {
  const { lab, host, start } = meters()
  const refused = new AggregateError([new Error('connect ECONNREFUSED ::1:80'), new Error('the other')])
  lab.read = () => {
    throw new TypeError('fetch failed', { cause: refused })
  }
  const live = await start(flow([meter({ poll_interval: 1 }, [output('t')])]))
  await host.advance(0)
  expect(healthOf(live)).toEqual([['degraded', 'connect ECONNREFUSED ::1:80']])
})

test('a reading that does not end is told and replaced, and never has a second beside it: readings are awaited [R373, F71]', async () => {
  const { lab, host, start } = meters()
  const ends: ((reading: Reading) => void)[] = []
  lab.read = () => new Promise((resolve) => ends.push(resolve))
  const live = await start(flow([meter({ poll_interval: 2 }, [output('t', { dtype: 'float' })])]))
  await host.advance(60_000)
  expect([lab.told.filter((word) => word === 'poll'), healthOf(live)]).toEqual([['poll'], [['ok', null]]])
  await host.advance(4000)
  expect(ends).toHaveLength(2)
  expect(healthOf(live)).toEqual([['down', 'a reading has taken longer than 60 s; it is given up']])
  ends[0]?.({ t: 1 })
  await turn()
  expect([readings(host), healthOf(live)[0]?.[0]]).toEqual([[], 'down'])
  ends[1]?.({ t: 2 })
  await turn()
  expect([readings(host), healthOf(live)[0]?.[0]]).toEqual([[2], 'ok'])
})

test('the interval of a port thins what is published: the first at once, the latest at the end [R368]', async () => {
  const { lab, host, start } = meters()
  let t = 0
  lab.read = () => ({ t: ++t, u: t })
  const ports = [output('t', { dtype: 'float', interval: 1 }), output('u', { dtype: 'float' })]
  const live = await start(flow([meter({ poll_interval: 0.1 }, ports)]))
  await host.advance(2450)
  expect(readings(host)).toEqual([1, 10, 20])
  expect(host.values('f.u')).toHaveLength(25)
  // what waits is not lost when the node ends
  await live.stop()
  expect(readings(host)).toEqual([1, 10, 20, 25])
  await host.advance(10_000)
  expect(readings(host)).toHaveLength(4)
})

test('a request to act takes a reading now', async () => {
  const { lab, host, start } = meters()
  lab.read = () => ({ t: 7 })
  const live = await start(flow([meter({ poll_interval: 3600 }, [output('t', { dtype: 'float' })])]))
  await host.advance(0)
  lab.read = () => ({ t: 8 })
  live.trigger('meter', {})
  await turn()
  expect(readings(host)).toEqual([7, 8])
})

test('values of declared ports that the node does not have are left out, and of others fail the reading [R365]', async () => {
  const given: Reading[] = [{ power: 1, energy: 2 }, { energy: 3 }, { voltage: 230 }]
  class Declared extends Connector<typeof ConnectorParams, typeof Declared.ports> {
    static readonly contract = 1
    static override readonly ports = {
      outputs: { power: 'float', energy: 'float', done: 'bool' },
      inputs: { limit: 'float' },
    } as const
    override async poll() {
      return (given.shift() ?? null) as { power?: number } | null
    }
    override async write() {
      this.inject({ energy: 1, power: 5 })
      return { done: true, power: 6 }
    }
  }
  const { host, runtime, start } = engine([nodeTypeOf('declared', Declared)])
  const ports = [output('power', { dtype: 'float' }), input('limit', { dtype: 'float' })]
  const live = await start(flow([{ id: 'n', type: 'declared', settings: { poll_interval: 1 }, ports }]))
  await host.advance(1000)
  expect([host.values('f.power'), healthOf(live)]).toEqual([[1], [['ok', null]]])
  await host.advance(1000)
  expect(healthOf(live)).toEqual([['degraded', 'there is no output port "voltage"; the node has "power"']])
  runtime.publish('f.limit', 10)
  await turn()
  expect([host.values('f.power'), live.nodeStates()[0]?.error]).toEqual([[1, 5, 6], null])
})

test('without the start of the base class no readings are taken [R396]', async () => {
  const polls: number[] = []
  class Silent extends Connector {
    static readonly contract = 1
    override async poll() {
      polls.push(1)
      return null
    }
    override async start() {}
  }
  const { host, start } = engine([nodeTypeOf('silent', Silent)])
  await start(flow([{ id: 'n', type: 'silent', settings: { poll_interval: 1 }, ports: [output('t')] }]))
  await host.advance(10_000)
  expect(polls).toEqual([])
})
