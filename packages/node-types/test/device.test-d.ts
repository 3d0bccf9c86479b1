/* oxlint-disable vitest/expect-expect -- most assertions are the expected compile errors */
import { liveFlow, type Ref, t } from '@flow-service/flow-sdk'
import { device } from '@flow-service/node-types/flow'
import { expectTypeOf, test } from 'vitest'

// as `service devices types` writes it
declare module '@flow-service/node-types/flow' {
  interface Devices {
    'known-panel': {
      in: { camera: 'image'; count: 'int'; lux: 'float' }
      out: { backlight: 'float'; relay1: 'bool' }
    }
    'known-sensor': {
      in: { temp: 'float' }
      out: {}
    }
  }
}

test('any ports are taken of a device that is not known', () => {
  liveFlow('f', { light: t.bool }, (m, use) => {
    const { lux } = use(device('hall-panel', { in: { relay1: t.bool }, out: { lux: t.float } }), { relay1: m.light })
    expectTypeOf(lux).toExtend<Ref<number>>()
    // @ts-expect-error what the device follows is wired
    use(device('hall-panel', { in: { relay1: t.bool } }), {})
  })
})

test('ports of a known device have the names of its report', () => {
  device('known-panel', { in: { relay1: t.bool }, out: { lux: t.float, camera: t.image } })
  device('known-panel', {})
  device('known-sensor', { out: { temp: t.float } })
  // @ts-expect-error the device has no such port
  device('known-panel', { out: { lux: t.float, luxx: t.float } })
  // @ts-expect-error the device follows it, and publishes it not
  device('known-panel', { out: { relay1: t.bool } })
  // @ts-expect-error the device follows nothing
  device('known-sensor', { in: { relay1: t.bool } })
})

test('ports of a known device have dtypes that fit, each from its own side', () => {
  device('known-panel', { in: { backlight: t.int }, out: { count: t.float, camera: t.artifact, lux: t.any } })
  // @ts-expect-error what is published as a float is no int
  device('known-panel', { out: { lux: t.int } })
  // @ts-expect-error a text is no bool
  device('known-panel', { in: { relay1: t.str } })
})

test('what is said of ports names those that the node has', () => {
  const out = { camera: t.image, lux: t.float }
  device('hall-panel', { out, onDemand: ['camera'], interval: { lux: 0.5 }, config: { lux: { pin: 4 } } })
  // @ts-expect-error the node has no such output
  device('hall-panel', { out, onDemand: ['photo'] })
  // @ts-expect-error the node has no such output
  device('hall-panel', { out, interval: { luxx: 1 } })
  // @ts-expect-error the node has no such port
  device('hall-panel', { out, config: { luxx: {} } })
  // @ts-expect-error the config of a port is an object
  device('hall-panel', { out, config: { lux: 4 } })
})
