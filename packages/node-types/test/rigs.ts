/** Nodes that a test file has started, and the peers that they talk to. */
import type { AnyNodeDefinition } from '@flow-service/connector-sdk'
import { expect } from 'vitest'

import { Rig, type Setup } from './test-kit.ts'

/** What the tests of one file have opened; `close` after each test. */
export class Rigs {
  readonly #rigs: Rig[] = []
  readonly #peers: (() => unknown)[] = []

  async run(definition: AnyNodeDefinition, setup: Setup): Promise<Rig> {
    const rig = await Rig.start(definition, setup)
    this.#rigs.push(rig)
    return rig
  }

  /** Ends a peer once the nodes have stopped. */
  atEnd(close: () => unknown): void {
    this.#peers.push(close)
  }

  async close(): Promise<void> {
    await Promise.all(this.#rigs.splice(0).map((rig) => rig.stop()))
    await Promise.all(this.#peers.splice(0).map((close) => close()))
  }
}

/** Lets a second pass every 50 ms until something is so: what connects takes real time. */
export const passing = (rig: Rig, read: () => unknown, expected: unknown): Promise<void> =>
  expect
    .poll(
      async () => {
        await rig.advance(1)
        return read()
      },
      { interval: 50 },
    )
    .toEqual(expected)
