import type { NodeContext } from '@flow-service/connector-sdk'
import { expect, test } from 'vitest'

import { folders, load, useFolders } from './loading.ts'
import { doubler } from './project.ts'

useFolders()

test('a type that fails when it is asked about its nodes fails nothing else', async () => {
  const fault = `() => { throw new Error('asked') }`
  const more = ['passive', 'missing', 'holds', 'idempotent', 'start'].map((name) => `${name}: ${fault}`).join(',\n')
  const wrong = `passive: () => 1, missing: () => 2, holds: () => 3, idempotent: () => 'no', start: () => 4`
  const config = await folders({
    throws: { types: { throws: './dist/index.js' }, files: { 'dist/index.js': doubler('', more) } },
    wrong: { types: { wrong: './dist/index.js' }, files: { 'dist/index.js': doubler('', wrong) } },
  })
  const { registry, types } = await load(config)
  const shape = { id: 'a', mode: 'live', settings: {}, inputs: [], outputs: [] } as const
  for (const { definition } of types) {
    expect(registry.imposedTrigger({ type: definition.type, settings: {} }, 'n')).toBeUndefined()
    expect([definition.missing?.(), definition.holds?.('key', null)]).toEqual([null, null])
    expect(typeof definition.idempotent === 'function' && definition.idempotent(shape)).toBe(false)
  }
  const context = {} as NodeContext
  const [throws, wrongly] = types.map(({ definition }) => definition.start(context))
  await expect(throws).rejects.toThrow('asked')
  await expect(wrongly).rejects.toThrow('its start gave no node; return an object with its handlers')
})
