/**
 * What the credential of a device is good for beside itself (wire decision G45): values of the messages that its ports
 * send, pictures for them, and the bytes of what its ports follow. Routes of messages and artifacts ask it.
 * @module
 */
import { artifactRefsIn, type DeviceDirection } from '@flow-service/protocol'

import type { DeviceBytes } from '../artifacts/artifacts.ts'
import { ProblemError } from '../http/errors.ts'
import type { CurrentValues } from '../messages/current-values.ts'
import type { DeviceMessages, Messages } from '../messages/messages.ts'
import type { DeviceWiring } from './device-wiring.ts'

/** What rights are decided by. */
export interface DeviceRightsDeps {
  readonly wiring: Pick<DeviceWiring, 'of'>
  readonly messages: Pick<Messages, 'publish'>
  readonly values: Pick<CurrentValues, 'get'>
}

/** The rights of devices, by how flows wire them at the moment. Names are compared whole. */
export function deviceRights({ wiring, messages, values }: DeviceRightsDeps): DeviceMessages & DeviceBytes {
  const wired = (device: string, direction: DeviceDirection): string[] =>
    wiring.of(device).flatMap((binding) => (binding.direction === direction ? [binding.message] : []))
  const assertSends = (device: string, message: string): void => {
    if (wired(device, 'in').includes(message)) return
    throw new ProblemError(
      'forbidden',
      `no port of device "${device}" sends "${message}": wire it in a device node, and publish the flow`,
    )
  }
  return {
    async publish(device, message, value) {
      assertSends(device, message)
      return messages.publish(message, value)
    },

    assertStores(device, { name, volatile }) {
      if (!volatile)
        throw new ProblemError('forbidden', 'a device stores pictures that pass by alone: send volatile=true')
      assertSends(device, name)
    },

    assertReads(device, digest) {
      const isShown = wired(device, 'out').some((message) =>
        artifactRefsIn(values.get(message)?.value).some((ref) => ref.digest === digest),
      )
      if (!isShown)
        throw new ProblemError('forbidden', `what the ports of device "${device}" follow has no such bytes now`)
    },
  }
}
