/** What the compiler knows of a connector: its settings and ports, without a cast. */
import type { ArtifactRef } from '@flow-service/protocol'
import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'

import { Connector, ConnectorParams, secret } from '../src/index.ts'

class Meter extends Connector<typeof Meter.Params, typeof Meter.ports> {
  static readonly contract = 1
  static override readonly Params = ConnectorParams.extend({
    host: z.string(),
    port: z.int().default(502),
    token: secret(),
    pin: secret().optional(),
  })
  static override readonly ports = {
    outputs: { power: 'float', state: 'str', frame: 'image' },
    inputs: { limit: 'float', name: 'str' },
  } as const
}

declare const meter: Meter

test('settings are what the schema gives, credentials are texts', () => {
  expectTypeOf(meter.config).toEqualTypeOf<{
    poll_interval: number
    host: string
    port: number
    token: string
    pin?: string | undefined
  }>()
  // @ts-expect-error there is no such setting
  void meter.config.hosts
})

test('values of ports have the types of their dtypes', () => {
  expectTypeOf<Parameters<Meter['write']>[0]>().toEqualTypeOf<{ readonly limit?: number; readonly name?: string }>()
  expectTypeOf<NonNullable<Awaited<ReturnType<Meter['poll']>>>>().toEqualTypeOf<{
    readonly power?: number
    readonly state?: string
    readonly frame?: ArtifactRef
  }>()
  meter.inject({ power: 1, state: 'on' })
  // @ts-expect-error power is a number
  meter.inject({ power: 'much' })
  // @ts-expect-error there is no such port
  meter.inject({ voltage: 230 })
})

test('wrong readings and writes do not compile', () => {
  class Texts extends Connector<typeof ConnectorParams, typeof Meter.ports> {
    // @ts-expect-error power is a number
    override async poll() {
      return { power: 'much' }
    }
    // @ts-expect-error limit is a number
    override async write(inputs: { readonly limit?: string }) {
      void inputs
    }
  }
  class Unknown extends Connector<typeof ConnectorParams, typeof Meter.ports> {
    // @ts-expect-error there is no such port
    override async poll() {
      return { voltage: 230 }
    }
  }
  expectTypeOf<Texts['config']>().toEqualTypeOf<Unknown['config']>()
})

test('a connector that declares no ports takes any', () => {
  class Any extends Connector {
    override async poll() {
      return { whatever: [1] }
    }
    override async write(inputs: Readonly<Record<string, unknown>>) {
      return { echo: inputs['in'] }
    }
  }
  expectTypeOf<Any['config']>().toEqualTypeOf<{ poll_interval: number }>()
})
