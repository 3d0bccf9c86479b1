import fc from 'fast-check'
import { expect, test } from 'vitest'

import { LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, type } from '../documents.ts'
import { turn } from '../turn.ts'

/** What a random program does: publish the next number, end the oldest or newest execution, pause, step, resume, wait. */
const action = fc.constantFrom('publish', 'publish', 'publish', 'oldest', 'newest', 'pause', 'step', 'resume', 'turn')
const kinds = fc.array(fc.constantFrom('sync', 'async'), { minLength: 3, maxLength: 3 })

/** A diamond with a tail: x -> a -> y -> b, c -> z -> d; b and c both produce z. */
const wires = [
  { id: 'a', ports: [input('x'), output('y')] },
  { id: 'b', ports: [input('y'), output('z')] },
  { id: 'c', ports: [input('y'), output('z')] },
]

test('under any program each consumer gets everything once and in order, and executes one thing at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 80 }), kinds, async (actions, chosen) => {
      const begun = new Map<string, unknown[]>()
      const executing = new Map<string, number>()
      const ends: (() => void)[] = []
      const note = (node: string, value: unknown): void => {
        begun.set(node, [...(begun.get(node) ?? []), value])
        expect(executing.get(node) ?? 0).toBe(0)
      }
      const sync = type('sync', ({ node }) => ({
        onValue: (_port, value) => {
          note(node, value)
          return { [node === 'a' ? 'y' : 'z']: value }
        },
      }))
      const asynchronous = type('async', ({ node }) => ({
        onValue: (_port, value) => {
          note(node, value)
          executing.set(node, 1)
          return new Promise((resolve) =>
            ends.push(() => {
              executing.set(node, 0)
              resolve({ [node === 'a' ? 'y' : 'z']: value })
            }),
          )
        },
      }))
      const end = type('end', ({ node }) => ({ onValue: (_port, value) => note(node, value) }))
      const host = memoryHost()
      const runtime = new LiveRuntime(host, new NodeRegistry([sync, asynchronous, end]))
      const nodes = wires.map((wire, at) => ({ ...wire, type: chosen[at]! }))
      const live = await runtime.start(flow([...nodes, { id: 'd', type: 'end', ports: [input('z')] }]))

      let published = 0
      for (const name of actions) {
        if (name === 'publish') runtime.publish('f.x', published++)
        else if (name === 'oldest') ends.shift()?.()
        else if (name === 'newest') ends.pop()?.()
        else if (name === 'turn') await turn()
        else live[name]()
      }
      live.resume()
      let idle = false
      void live.idle().then(() => (idle = true))
      while (!idle) {
        for (const finish of ends.splice(0)) finish()
        await turn()
      }

      const all = Array.from({ length: published }, (_, at) => at)
      for (const node of ['a', 'b', 'c']) expect(begun.get(node) ?? []).toEqual(all)
      const last = (begun.get('d') ?? []) as number[]
      expect(last.toSorted((a, b) => a - b)).toEqual(all.flatMap((value) => [value, value]))
      expect(host.deadLetters).toEqual([])
      await runtime.close()
    }),
    { numRuns: 300 },
  )
})

test('under any program a stop accounts for every value: done, or given up as a dead letter', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const done: unknown[] = []
      const ends: (() => void)[] = []
      const slow = type('slow', () => ({
        onValue: (_port, value) => new Promise((resolve) => ends.push(() => (done.push(value), resolve(undefined)))),
      }))
      const host = memoryHost()
      const runtime = new LiveRuntime(host, new NodeRegistry([slow]))
      const live = await runtime.start(flow([{ id: 'a', type: 'slow', ports: [input('x')] }]))
      let published = 0
      for (const name of actions) {
        if (name === 'publish') runtime.publish('f.x', published++)
        else if (name === 'oldest' || name === 'newest') ends.shift()?.()
        else if (name === 'turn') await turn()
        else live[name]()
      }
      const stopped = live.stop()
      for (const finish of ends) finish()
      await stopped
      const lost = host.deadLetters.map(({ value }) => value)
      expect([...done, ...lost]).toEqual(Array.from({ length: published }, (_, at) => at))
      expect(host.deadLetters.every(({ reason }) => reason === 'stopped')).toBe(true)
    }),
    { numRuns: 200 },
  )
})
