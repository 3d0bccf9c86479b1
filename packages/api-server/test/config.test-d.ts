import { expectTypeOf, test } from 'vitest'

import type { settings } from '../src/config.ts'
import type { Setting } from '../src/process/setting.ts'
import type { SettingOptions } from '../src/setting-options.ts'

type Value<S> = S extends Setting<infer T> ? T : never

test('the declared options are those of the settings', () => {
  expectTypeOf<SettingOptions>().toEqualTypeOf<{
    readonly [K in keyof typeof settings]?: Value<(typeof settings)[K]> | undefined
  }>()
})
