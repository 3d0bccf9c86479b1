import { liveFlow, t } from '@flow-service/flow-sdk'
import { deviceNode } from '@flow-service/node-types'
import { device } from '@flow-service/node-types/flow'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { checkDocument, NodeRegistry } from '../../core/src/index.ts'
import { findings } from './test-kit.ts'

const registry = new NodeRegistry([deviceNode])
const issuesOf = (node: object, mode = 'live') => {
  const given = flowDocumentInputSchema.parse({ mode, nodes: [{ id: 'panel', type: 'device', ...node }] })
  const document = normalizeDocument('f', given, undefined, (of, port) => registry.imposedTrigger(of, port))
  return checkDocument(document, registry).map(({ severity, code, path }) => `${severity} ${code} ${path}`)
}

describe('device', () => {
  test('stands for the device of its setting, without which it is no part of a flow [R337]', () => {
    expect(deviceNode.settings.parse({})).toEqual({ device: null, config: {} })
    expect(deviceNode.device?.({ device: 'hall-panel', config: {} })).toBe('hall-panel')
    expect(issuesOf({})).toEqual(['error missing_setting /nodes/0/settings/device'])
    expect(issuesOf({ settings: { device: 'hall-panel' } })).toEqual([])
  })

  test('works in live flows only [R335]', () => {
    const node = { settings: { device: 'hall-panel' } }
    expect(issuesOf(node, 'batch')).toEqual(['error live_only_node /nodes/0/type'])
  })

  test('takes any object for a port, and warns of one for no port [R132, R338]', () => {
    const config = { 'pin 4': { pull: 'up', deep: [{ x: null }] }, dark: {} }
    const setup = { settings: { device: 'hall-panel', config }, outputs: { 'pin 4': 'bool' } } as const
    expect(findings(deviceNode, setup)).toEqual([
      {
        code: 'bad_setting',
        path: '/settings/config',
        severity: 'warning',
        message: 'config names "dark", but the node has no such port; add the port, or remove its config',
      },
    ])
  })

  test('takes no secret in what the device is given', () => {
    const settings = { device: 'hall-panel', config: { lux: { key: { $secret: 'api' } } } }
    const ports = [{ direction: 'output', name: 'lux' }]
    expect(issuesOf({ settings, ports })).toEqual(['error bad_setting /nodes/0/settings/config/lux/key'])
  })

  test('is placed in a flow in TypeScript with what its ports have beside their types', () => {
    const hall = liveFlow('hall', { light: t.bool }, (m, use) => {
      const panel = device('hall-panel', {
        in: { relay1: t.bool },
        out: { camera: t.image, lux: t.float },
        config: { relay1: { pin: 4 } },
        onDemand: ['camera'],
        interval: { camera: 0.5, lux: 2 },
      })
      use(panel, { relay1: m.light })
    })
    expect(hall.document.nodes).toEqual([
      {
        id: 'device',
        type: 'device',
        settings: { device: 'hall-panel', config: { relay1: { pin: 4 } } },
        ports: [
          { direction: 'input', port: 'relay1', name: 'light', dtype: 'bool', trigger: false },
          { direction: 'output', port: 'camera', name: 'camera', dtype: 'image', interval: 0.5, on_demand: true },
          { direction: 'output', port: 'lux', name: 'lux', dtype: 'float', interval: 2 },
        ],
      },
    ])
    expect(issuesOf((hall.document.nodes ?? [])[0] ?? {})).toEqual([
      'advisory unproduced_message /nodes/0/ports/0/name',
    ])
  })

  test('has no interval that lies in the past', () => {
    const panel = () => device('hall-panel', { out: { lux: t.float }, interval: { lux: -1 } })
    expect(panel).toThrow('node type "device": the interval of output "lux" is -1; use seconds, 0 or more')
  })
})
