/* oxlint-disable vitest/expect-expect -- most assertions are the expected compile errors */
import { liveFlow, type Ref, t } from '@flow-service/flow-sdk'
import { commandsLm, type CommandTarget } from '@flow-service/node-types/flow'
import type { CommandRecord } from '@flow-service/protocol'
import { expectTypeOf, test } from 'vitest'

test('targets are devices that commands know, each with its type', () => {
  expectTypeOf<'kitchen_light'>().toExtend<CommandTarget>()
  expectTypeOf<'living_room_tv'>().toExtend<CommandTarget>()
  expectTypeOf<'cellar_light'>().not.toExtend<CommandTarget>()
  liveFlow('home', { said: t.str }, (m, use) => {
    const out = use(
      commandsLm({ targets: { kitchen_light: t.bool, bedroom_heat: t.float }, apply: true, minConfidence: 0.95 }),
      { prompt: m.said },
    )
    expectTypeOf(out.kitchen_light).toExtend<Ref<boolean>>()
    expectTypeOf(out.bedroom_heat).toExtend<Ref<number>>()
    expectTypeOf(out.actions).toExtend<Ref<readonly CommandRecord[]>>()
    // @ts-expect-error it is no target of the node
    void out.office_light
  })
  // @ts-expect-error no cellar is known
  commandsLm({ targets: { cellar_light: t.bool } })
  // @ts-expect-error one target is known, the other is not
  commandsLm({ targets: { kitchen_light: t.bool, kitchen_fan: t.bool } })
  // @ts-expect-error any has no values for a device
  commandsLm({ targets: { kitchen_light: t.any } })
  // @ts-expect-error there is no such setting
  commandsLm({ confidence: 0.9 })
})

test('inputs are the prompt and what the node knows beside it, and all of them are wired', () => {
  liveFlow('home', { said: t.str, room: t.str, degrees: t.int, night: t.bool }, (m, use) => {
    use(commandsLm(), { prompt: m.said }, { id: 'reports' })
    use(commandsLm({ knows: ['presence', 'outdoor', 'dark'] }), {
      prompt: m.said,
      presence: m.room,
      outdoor: m.degrees,
      dark: m.night,
    })
    // @ts-expect-error presence is not wired
    use(commandsLm({ knows: ['presence'] }), { prompt: m.said })
    // @ts-expect-error a prompt is a text
    use(commandsLm(), { prompt: m.degrees })
    // @ts-expect-error nothing else is known
    commandsLm({ knows: ['weather'] })
  })
})
