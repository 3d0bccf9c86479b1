/* oxlint-disable vitest/expect-expect -- the assertions are the expected compile errors */
import { t } from '@flow-service/flow-sdk'
import { device } from '@flow-service/node-types/flow'
import { test } from 'vitest'

import type {} from './fixtures/flow-devices.d.ts'

test('ports are checked against the file that "service devices types" writes', () => {
  device('hall-panel-of-types', { out: { lux: t.float, camera: t.image }, in: { relay1: t.bool } })
  device('weather_of_types', { out: { temp: t.float } })
  // @ts-expect-error the device has no such port
  device('hall-panel-of-types', { out: { luxx: t.float } })
  // @ts-expect-error what is published as a float is no text
  device('weather_of_types', { out: { temp: t.str } })
  // @ts-expect-error the device follows nothing
  device('weather_of_types', { in: { fan: t.bool } })
})
