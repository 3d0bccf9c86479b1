/**
 * Rules on the life of a connector: its start, its end, and that it is alone.
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import { ended } from './ended.ts'
import { must, type Rule, textOf } from './rule.ts'
import type { Node, Subject } from './subject.ts'

const HOUR_MS = 3_600_000

const begins: Rule = {
  title: 'begins its readings when it starts',
  skip: ({ polls }) => (polls ? null : 'it has no poll()'),
  async run(subject) {
    const calls = { polls: 0 }
    const node = await subject.mount({ prepare: (connector) => countPolls(connector, calls) })
    if (!subject.readsBy(node)) return 'its params turn readings off'
    await subject.advance(node, subject.intervalMs)
    must(calls.polls > 0, 'poll() is not called: a start() that overrides has to call super.start(app)')
  },
}

const stopsTwice: Rule = {
  title: 'stops, stops again, and stops without a start',
  async run(subject) {
    const node = await subject.mount()
    await subject.exercise(node)
    const stop = async (when: string): Promise<void> => {
      try {
        await ended(node.connector.stop())
      } catch (error) {
        must(false, `stop() fails ${when}: ${textOf(error)}`)
      }
    }
    node.ctx.close()
    await stop('after a start')
    await stop('when it is called again')
    const failed = await subject.stopAfterFailedStart('once')
    must(failed.length === 0, () => `stop() fails where start() has failed at once: ${failed[0]}`)
  },
}

const failedStart: Rule = {
  title: 'stops after a start that failed, and leaves nothing then',
  async run(subject) {
    const failed = await subject.stopAfterFailedStart('end')
    must(failed.length === 0, () => `stop() fails after a start that failed: ${failed[0]}`)
    const down = await subject.stopWithoutNetwork()
    must(down.length === 0, () => `stop() fails after a start without a network: ${down[0]}`)
  },
}

const nothingLate: Rule = {
  title: 'does nothing after its stop, also when it waited for an answer',
  async run(subject) {
    const node = await subject.mount()
    await subject.exercise(node)
    const { ctx } = node
    ctx.network.hold(true)
    await subject.advance(node, subject.intervalMs)
    const writing = subject.writes ? node.write(await subject.arriving(node)).catch(() => {}) : Promise.resolve()
    await subject.settle(node)
    try {
      await ended(node.stop())
    } catch (error) {
      must(false, `stop() fails while an answer is awaited: ${textOf(error)}`)
    }
    const [open] = ctx.leftOpen
    must(
      open === undefined,
      () =>
        `${open?.by === 'fetch' ? 'the request' : 'the connection'} to ${open?.target} is open after the stop: ` +
        (open?.by === 'fetch' ? 'give ctx.fetch { signal: this.ctx.signal }' : 'end it in stop()'),
    )
    ctx.network.hold(false)
    await writing
    await node.advance(HOUR_MS)
    await subject.settle(node)
    must(ctx.late.length === 0, () => `after its stop it has ${ctx.late.join(', ')}: end in stop() what would go on`)
  },
}

const nothingLeft: Rule = {
  title: 'leaves no timer, socket or process behind, and goes out through ctx alone',
  async run(subject) {
    const globals = Object.keys(globalThis)
    const node = await subject.mount()
    await subject.exercise(node)
    await ended(node.stop()).catch(() => {})
    const left = await subject.leftovers.of(node.ctx)
    must(left.length === 0, () => `after its stop there is still a ${left.join(', a ')}: end it in stop()`)
    must(
      subject.leftovers.detoursOf(node.ctx) === 0,
      'it opens a connection by itself: use ctx.fetch and ctx.connect, which keep to the egress rules',
    )
    const added = Object.keys(globalThis).filter((name) => !globals.includes(name))
    must(added.length === 0, () => `it sets globalThis.${added[0]}: keep the state in the connector`)
  },
}

const tellsHealth: Rule = {
  title: 'tells when its device does not answer, and when it answers again',
  async run(subject) {
    const node = await subject.mount()
    const { ctx } = node
    await subject.exercise(node)
    if (ctx.network.reached.length === 0) return 'it reaches nothing'
    ctx.network.failWith(new Error('the device does not answer'))
    for (let tick = 0; tick < 10 && node.health.status === 'ok'; tick++) await subject.advance(node, subject.intervalMs)
    must(
      node.health.status !== 'ok',
      'its device does not answer, and it is "ok": let poll() throw, or call reportHealth()',
    )
    ctx.network.failWith(null)
    for (let tick = 0; tick < 60 && !isOk(node); tick++) await subject.advance(node, subject.intervalMs)
    must(
      isOk(node),
      () =>
        `its device answers again, and it is still "${node.health.status}" (${node.health.message ?? 'no message'})`,
    )
  },
}

const handlesFaults: Rule = {
  title: 'works without a network and without a store, as far as that goes, and leaves no error unhandled',
  async run(subject) {
    const { node } = await subject.attempt()
    if (node === null) return 'it does not start with these fixtures'
    for (const fail of [failNetwork, failStore]) {
      fail(node)
      await subject.exercise(node)
      node.ctx.network.failWith(null)
      node.ctx.store.failWith(null)
    }
    const { failures } = node.ctx
    must(failures.length === 0, () => `a callback of it throws: ${textOf(failures[0])}`)
    await subject.stopWithoutNetwork()
    await subject.attempt({ prepare: (_connector, { store }) => store.failWith(new Error('the database is away')) })
  },
}

const apart: Rule = {
  title: 'keeps its nodes apart',
  async run(subject) {
    await ownCredentials(subject)
    const [first, second] = [await subject.mount({ node: 'first' }), await subject.mount({ node: 'second' })]
    for (const node of [first, second]) await subject.exercise(node)
    must(
      isDeepStrictEqual(portsOf(first), portsOf(second)),
      () =>
        `of two equal nodes one publishes on ${shown(portsOf(first))}, the other on ${shown(portsOf(second))}: keep the state ` +
        'in the connector, not in the module or the class',
    )
    if (subject.readsBy(second) && subject.fixtures.reading !== null) {
      await subject.advance(second, subject.intervalMs)
      must(
        second.sent.length > 0,
        'it publishes no reading where another node has done so before: keep the state in the connector, not in the module',
      )
    }
    const { status } = second.health
    await ended(first.stop())
    const reached = second.ctx.network.reached.length
    const calls = { polls: 0 }
    countPolls(second.connector, calls)
    await subject.advance(second, subject.intervalMs)
    must(
      second.health.status === status,
      () => `when one node stops, another is "${second.health.status}" (${second.health.message ?? 'no message'})`,
    )
    must(
      !subject.readsBy(second) || calls.polls > 0 || second.ctx.network.reached.length > reached,
      'when one node stops, another takes no readings any more',
    )
  },
}

const storeLimits: Rule = {
  title: 'keeps to the limits of the store',
  async run(subject) {
    const node = await subject.mount()
    await subject.exercise(node)
    await ended(node.stop()).catch(() => {})
    const { refused, texts } = node.ctx.store
    must(refused.length === 0, () => `the store refuses it: ${refused[0]}`)
    return texts.size === 0 ? 'it stores nothing with these fixtures' : undefined
  },
}

/** Each node sends its own credentials. */
async function ownCredentials(subject: Subject): Promise<void> {
  const own = subject.credentialsIn()
  const { node: other } = await subject.attempt()
  const { node } = await subject.attempt({ mark: '-of-another' })
  if (other === null || node === null) return
  await subject.exercise(other)
  await subject.exercise(node)
  const others = subject.credentialsIn('-of-another')
  for (const { content, target } of node.ctx.network.reached) {
    const seen = own.find((text, at) => `${content}\n${target}`.replaceAll(others[at] ?? '', '').includes(text))
    must(
      seen === undefined,
      () =>
        `a node sends the credential of another one to ${target}: keep the state in the connector, not in the module`,
    )
  }
}

function countPolls(connector: Node['connector'], calls: { polls: number }): void {
  const poll = connector.poll.bind(connector)
  Object.defineProperty(connector, 'poll', {
    value: () => {
      calls.polls++
      return poll()
    },
  })
}

const failNetwork = ({ ctx }: Node): void => ctx.network.failWith(new Error('the network is down'))
const failStore = ({ ctx }: Node): void => ctx.store.failWith(new Error('the database is away'))
const isOk = ({ health }: Node): boolean => health.status === 'ok'
const portsOf = ({ sent }: Node): string[] => [...new Set(sent.flatMap((values) => Object.keys(values)))].toSorted()
const shown = (ports: readonly string[]): string => ports.map((port) => `"${port}"`).join(', ') || 'nothing'

/** In the order of their tests. */
export const lifeRules: readonly Rule[] = [
  begins,
  stopsTwice,
  failedStart,
  nothingLate,
  nothingLeft,
  tellsHealth,
  handlesFaults,
  apart,
  storeLimits,
]
