/**
 * Rules on the values that a connector publishes and takes.
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import type { Dtype } from '@flow-service/protocol'

import type { Values } from '../../node.ts'
import { must, type Rule, textOf } from './rule.ts'
import type { Node, Subject } from './subject.ts'

const readsNothing = ({ polls }: Subject): string | null => (polls ? null : 'it has no poll()')

/** Why a rule on readings says nothing of a node. */
const NO_READINGS = 'its params turn readings off'

const readings: Rule = {
  title: 'publishes readings that its ports take',
  skip: readsNothing,
  async run(subject) {
    const { reading } = subject.fixtures
    const node = await subject.mount()
    if (!subject.readsBy(node)) return NO_READINGS
    await subject.firstReading(node)
    must(node.health.status === 'ok', `the first reading fails: ${node.health.message}`)
    if (reading !== undefined && reading !== null) {
      const shown = JSON.stringify(node.sent[0] ?? null)
      must(
        isDeepStrictEqual(node.sent[0], reading),
        `the first reading gives ${shown}, and fixtures.reading is ${JSON.stringify(reading)}`,
      )
    }
    if (reading === null) {
      must(node.sent.length === 0, `the first reading gives ${JSON.stringify(node.sent[0])}; fixtures.reading is null`)
      return
    }
    for (let tick = 0; tick < 2 && node.sent.length === 0; tick++) await subject.advance(node, subject.intervalMs)
    must(
      node.sent.length > 0,
      'poll() gives nothing in three readings: give fixtures that it reads something of (fetch, connect), or say ' +
        '"reading: null" where that is meant',
    )
    must(node.health.status === 'ok', `a later reading fails: ${node.health.message}`)
  },
}

const someOutputs: Rule = {
  title: 'publishes readings on nodes that have a part of its output ports',
  skip: (subject) =>
    readsNothing(subject) ?? (Object.keys(subject.outputs).length > 1 ? null : 'it has no two output ports'),
  async run(subject) {
    for (const [port, dtype] of Object.entries(subject.outputs)) {
      const node = await subject.mount({ outputs: { [port]: dtype } })
      await subject.firstReading(node)
      must(
        node.health.status === 'ok',
        `a node that has only the output "${port}" fails at its readings (${node.health.message}): flows take the ` +
          'ports that they want; values of others are left out by themselves',
      )
    }
  },
}

const writes: Rule = {
  title: 'takes what arrives, and publishes what its ports take',
  skip: ({ writes: isWritten }) => (isWritten ? null : 'it has no write()'),
  async run(subject) {
    const node = await subject.mount()
    await subject.firstReading(node)
    const values = await subject.arriving(node)
    must(
      Object.keys(values).length > 0,
      'it has write() and no input ports: declare "static ports", or give fixtures.inputs',
    )
    try {
      await node.write(values)
    } catch (error) {
      must(
        false,
        `write(${JSON.stringify(values)}) fails: ${textOf(error)}; give values that it takes as fixtures.write`,
      )
    }
  },
}

const injection: Rule = {
  title: 'publishes what inject() is given, and refuses what its ports do not take',
  skip: ({ outputs }) => (Object.keys(outputs).length > 0 ? null : 'it has no output ports'),
  async run(subject) {
    const node = await subject.mount()
    const values = await subject.leaving(node)
    const before = node.sent.length
    inject(node, values)
    must(
      isDeepStrictEqual(node.sent[before], values),
      `inject(${JSON.stringify(values)}) publishes ${JSON.stringify(node.sent[before] ?? null)}: leave inject() as it is`,
    )
    const [port = '', dtype] = Object.entries(subject.outputs).find(([, each]) => each !== 'any') ?? []
    const wrong = [{ 'no such port': 1 }, ...(dtype === undefined ? [] : [{ [port]: misfitOf(dtype) }])]
    for (const each of wrong)
      must(
        refuses(() => inject(node, each)),
        `inject(${JSON.stringify(each)}) is not refused: leave inject() as it is`,
      )
  },
}

const pushes: Rule = {
  title: 'publishes what its device says by itself',
  skip: ({ fixtures }) => (fixtures.push ? null : 'there is no fixtures.push'),
  async run(subject) {
    const node = await subject.mount()
    await subject.firstReading(node)
    const before = node.sent.length
    await subject.fixtures.push?.(node)
    await subject.settle(node)
    must(node.sent.length > before, 'what fixtures.push has the device say is not published')
    must(
      node.ctx.failures.length === 0,
      () => `what fixtures.push has the device say fails: ${textOf(node.ctx.failures[0])}`,
    )
  },
}

const inject = ({ connector }: Node, values: Values): void => connector.inject(values as never)
const misfitOf = (dtype: Dtype): unknown => (dtype === 'bool' ? 'text' : true)

function refuses(run: () => void): boolean {
  try {
    run()
    return false
  } catch {
    return true
  }
}

/** In the order of their tests. */
export const valueRules: readonly Rule[] = [readings, someOutputs, writes, injection, pushes]
