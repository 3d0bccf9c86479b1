/** What `commands_lm` writes, whatever is said to it: `npm run soak` says 100,000 prompts. */
import { createCommandsNode } from '@flow-service/node-types'
import { accepts } from '@flow-service/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { contexts, prompts } from '../../commands-lm/test/prompts.ts'
import { Rig } from './test-kit.ts'

const RUNS = process.env['SOAK'] === undefined ? 2_000 : 100_000

/** Targets of each dtype; all other devices of the house are not wired. */
const wired = {
  kitchen_light: 'bool',
  kitchen_lamp: 'int',
  living_room_tv: 'str',
  bedroom_setpoint: 'float',
  office_blind: 'int',
  garden_water: 'bool',
} as const

interface Record {
  readonly message: string
  readonly applied: boolean
  readonly confidence: number
}

test.each([0, 0.93])(
  'nothing but wired targets is written, at a confidence of %s or more [R309, R328, R330]',
  async (least) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(prompts, contexts), { minLength: 50, maxLength: 50 }), async (said) => {
        const rig = await Rig.start(createCommandsNode(), {
          settings: { apply: true, min_confidence: least },
          inputs: { prompt: 'str' },
          passive: { presence: 'str', outdoor: 'float', dark: 'bool' },
          outputs: { ...wired, actions: 'array' },
        })
        for (const [prompt, { presence, outdoor, dark }] of said)
          await rig.arrive({ presence: presence ?? 'away', outdoor, dark, prompt })
        await rig.advance(86_400)
        const { actions, targets } = emittedBy(rig)
        expect(targets.filter(([port, value]) => !isWired(port) || !accepts(wired[port], value))).toEqual([])
        expect(actions).toHaveLength(said.length)
        const written = actions.flat().filter(({ applied }) => applied)
        const messages = new Set(Object.keys(wired).map((port) => `test.${port}`))
        expect(written.filter(({ message, confidence }) => !messages.has(message) || confidence < least)).toEqual([])
        await rig.stop()
      }),
      { numRuns: RUNS / 50 },
    )
  },
  3_600_000,
)

const isWired = (port: string): port is keyof typeof wired => Object.hasOwn(wired, port)

/** What a node has written, and the report of each prompt. */
function emittedBy({ emitted }: Rig): { targets: [port: string, value: unknown][]; actions: Record[][] } {
  const all = emitted.flatMap((values) => Object.entries(values))
  return {
    targets: all.filter(([port]) => port !== 'actions'),
    actions: all.filter(([port]) => port === 'actions').map(([, value]) => value as Record[]),
  }
}
