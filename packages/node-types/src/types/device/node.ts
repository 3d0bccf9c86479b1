/**
 * `device`: the ports of a paired device, as messages of its flow (wire decisions G44, U17). The engine never executes it:
 * the device publishes what its outputs carry, and follows what its inputs read.
 * @module
 */
import { defineNode, type NodeFinding, type NodeShape } from '@flow-service/connector-sdk'
import { deviceIdSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { published } from '../../secret.ts'

const settings = z.strictObject({
  device: deviceIdSchema.nullable().default(null).describe('Id of the paired device.'),
  config: z
    .record(z.string(), z.record(z.string(), z.json()))
    .default({})
    .describe('By port, an object for the device, which it gets as it stands.')
    .meta(published),
})

/** Stands for a paired device. */
export const deviceNode = defineNode({
  type: 'device',
  title: 'Device',
  description: 'The ports of a paired device: it publishes the outputs of the node, and follows its inputs.',
  category: 'device',
  settings,
  modes: ['live'],
  arrival: 'each',
  device: ({ device }) => device,
  check: (shape) => [...choiceFindings(shape), ...configFindings(shape)],
  start: () => ({}),
})

type Shape = NodeShape<z.infer<typeof settings>>

function choiceFindings({ settings: { device } }: Shape): NodeFinding[] {
  if (device !== null) return []
  const message = 'no device is chosen; set "device" to the id of a paired one'
  return [{ code: 'missing_setting', path: '/settings/device', message }]
}

function configFindings({ settings: { config }, inputs, outputs }: Shape): NodeFinding[] {
  const known = new Set([...inputs, ...outputs].map(({ port }) => port))
  const strangers = Object.keys(config).filter((port) => !known.has(port))
  return strangers.map((port) => ({
    code: 'bad_setting',
    path: '/settings/config',
    severity: 'warning',
    message: `config names "${port}", but the node has no such port; add the port, or remove its config`,
  }))
}
