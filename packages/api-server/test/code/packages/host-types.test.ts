import { defineNode } from '@flow-service/connector-sdk'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

import { ConfigError } from '../../../src/process/setting.ts'
import { folders, load, useFolders } from './loading.ts'

useFolders()

/** By which a class says how it is a node type. */
const made = Symbol.for('flow-service.node-type')

/** A node type of a host. */
const own = defineNode({
  type: 'any',
  title: 'Any',
  description: '',
  category: 'connector',
  settings: z.object({}),
  arrival: 'each',
  start: () => ({}),
})

describe('node types of the host itself', () => {
  const packaged = (nodeTypes: Record<string, unknown>) => ({ package: 'host', version: '3.0.0', nodeTypes })

  test('come before those of packages, and behind the built-in ones', async () => {
    const config = await folders({ acme: { types: { mine: './dist/index.js' } } })
    class Meter {
      static [made] = (name: string) => ({ ...own, type: name, title: 'Meter' })
    }
    const connectors = [packaged({ mine: own, http: own, meter: Meter })]
    const { registry, reports } = await load({ ...config, connectors })
    expect(registry.catalogue().filter(({ version }) => version === '3.0.0')).toMatchObject([
      { type: 'meter', title: 'Meter' },
      { type: 'mine', title: 'Any' },
    ])
    expect(reports).toMatchObject([
      { package: 'host', node_types: ['mine', 'meter'], reason: expect.stringContaining('"http" is built in') },
      { package: 'acme', status: 'skipped', reason: expect.stringContaining('"mine" is of the package host 3.0.0') },
    ])
  })

  test.each([
    ['a number', 1],
    [
      'a class of another contract',
      class Old {
        static [made](): never {
          throw new Error('it has another contract')
        }
      },
    ],
    ['settings that are no schema', { ...own, settings: {} }],
    ['code', { ...own, code: 'python' }],
  ])('are refused as a setting: %s', async (_what, exported) => {
    const config = await folders()
    const loading = load({ ...config, connectors: [packaged({ mine: exported })] })
    await expect(loading).rejects.toThrow(ConfigError)
    await expect(loading).rejects.toThrow(/the option connectors: the node type "mine" of "host" is not usable: /)
  })
})
