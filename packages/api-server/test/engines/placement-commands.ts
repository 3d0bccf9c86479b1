/**
 * What may happen to the engines of a {@link ModelWorld}, as commands of random programs.
 * @module
 */
import fc from 'fast-check'

import type { ModelEngine } from './model-engine.ts'
import type { ModelWorld } from './model-world.ts'

const MAX_ENGINES = 4
/** Flows of a world. */
export const FLOWS = 4

/** The world itself is asked what is possible: programs have no model beside it. */
type Command = fc.AsyncCommand<Record<string, never>, ModelWorld>

/** A command that is named as a program shows it. */
const command = (name: string, run: (world: ModelWorld) => void | Promise<void>): Command => ({
  check: () => true,
  async run(_model, world) {
    await run(world)
    await world.pass(1)
    if (world.faults.length > 0) throw new Error(world.faults.join('\n'))
  },
  toString: () => name,
})

/** One of the first engines, and what happens to it; nothing when there are not as many. */
const ofEngine = (name: string, run: (engine: ModelEngine, world: ModelWorld) => void) =>
  fc.nat(MAX_ENGINES - 1).map((at) =>
    command(`${name} ${at}`, (world) => {
      const engine = world.engines[at]
      if (engine !== undefined) run(engine, world)
    }),
  )

const ofFlow = (name: string, run: (flow: string, engine: ModelEngine | undefined, world: ModelWorld) => void) =>
  fc
    .tuple(fc.nat(FLOWS - 1), fc.nat(MAX_ENGINES - 1))
    .map(([at, engine]) =>
      command(`${name} f${at} at ${engine}`, (world) => run(world.flows[at] ?? '', world.engines[engine], world)),
    )

const start = ofFlow('start', (flow, engine, world) => {
  const at = engine?.isUp === true ? engine : world.engines.find(({ isUp }) => isUp)
  void at?.start(flow)
  world.trouble()
})

/** By the engine that runs it; while that cannot be asked, it is refused. */
const stop = ofFlow('stop', (flow, _engine, world) => {
  const owner = world.tables.ownerOf(flow)
  const at = world.engines.find(({ id }) => id === owner)
  if (owner !== null && at?.isUp !== true) return
  world.tables.flows.get(flow)!.wished = 'stopped'
  void at?.endFlow(flow)
})

const unfit = ofFlow('unfit', (flow, engine) => void engine?.broken.add(flow))

const open = fc.constant(
  command('open', (world) => {
    if (world.engines.filter(({ isOver }) => !isOver).length < MAX_ENGINES && !world.isAway) world.open()
    world.trouble()
  }),
)

const ends = [
  ofEngine('leave', (engine, world) => {
    if (engine.isUp) void engine.leave()
    world.trouble()
  }),
  ofEngine('kill', (engine, world) => {
    engine.kill()
    world.trouble()
  }),
]

const troubles = [
  ofEngine('stop process', (engine) => engine.stop(false)),
  ofEngine('stop machine', (engine) => engine.stop(true)),
  ofEngine('stop at next act', (engine) => void (engine.stopsAtAct = true)),
  ofEngine('cut', (engine) => engine.wire.cut()),
  ofEngine('deafen', (engine) => void (engine.isDeaf = true)),
  fc.constant(command('database away', (world) => world.leave())),
  fc
    .tuple(fc.nat(MAX_ENGINES - 1), fc.integer({ min: 1, max: 120 }))
    .map(([at, tenths]) =>
      command(
        `delay ${at} by ${tenths * 100} ms`,
        (world) => void (world.engines[at] && (world.engines[at].wire.delayMs = tenths * 100)),
      ),
    ),
  fc
    .tuple(fc.nat(MAX_ENGINES - 1), fc.constantFrom(-60, -5, -1, 1, 5, 60))
    .map(([at, seconds]) =>
      command(`set wall of ${at} by ${seconds} s`, (world) => world.engines[at]?.setWall(seconds * 1_000)),
    ),
]

const ways = [
  ofEngine('go on', (engine) => engine.goOn()),
  ofEngine('mend', (engine) => engine.wire.mend()),
  ofEngine('hear', (engine) => engine.hear()),
  fc.constant(command('database back', (world) => world.comeBack())),
]

const pass = fc
  .constantFrom(100, 500, 1_000, 3_000, 7_000, 9_000, 15_000)
  .map((ms) => command(`pass ${ms} ms`, (world) => world.pass(ms)))

const weighted = (weight: number, arbitraries: readonly fc.Arbitrary<Command>[]) =>
  arbitraries.map((arbitrary) => ({ weight, arbitrary }))

/** Programs, by how often what happens in them. */
export const programs = (size: number, replayPath?: string) =>
  fc.commands(
    [
      fc.oneof(
        ...weighted(8, [pass]),
        ...weighted(3, [start, open]),
        ...weighted(1, [stop, unfit, ...ends, ...troubles]),
        ...weighted(2, ways),
      ),
    ],
    { maxCommands: size, size: 'max', ...(replayPath ? { replayPath } : {}) },
  )
