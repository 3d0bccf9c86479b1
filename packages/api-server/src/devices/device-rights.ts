/**
 * What the credential of a device is good for beside itself (wire decision G45): values of the messages that its ports
 * send, pictures for them, and the bytes of what its ports follow. Routes of messages and artifacts ask it, by how flows wire
 * the device at the moment. Names are compared whole.
 * @module
 */
import type { Clock } from '@flow-service/core'
import { artifactRefsIn, timestampOfMs } from '@flow-service/protocol'

import type { DeviceBytes } from '../artifacts/artifacts.ts'
import { ProblemError } from '../http/errors.ts'
import type { CurrentValues } from '../messages/current-values.ts'
import type { DeviceMessages } from '../messages/messages.ts'
import type { DevicePublishing } from './device-publishing.ts'
import type { DeviceWiring } from './device-wiring.ts'

/** What publications by request go through. */
interface DeviceMessagesDeps {
  readonly publishing: Pick<DevicePublishing, 'publish'>
  readonly clock: Pick<Clock, 'now'>
}

/** Publications of devices by request. A value that an interval holds back has the time at which it was taken. */
export const deviceMessagesOf = ({ publishing, clock }: DeviceMessagesDeps): DeviceMessages => ({
  async publish(device, message, value) {
    const [published] = await publishing.publish(device, { message }, value)
    return { ...published, ts: published.ts ?? timestampOfMs(clock.now()) }
  },
})

/** What the rights to bytes are decided by. */
interface DeviceBytesDeps {
  readonly publishing: Pick<DevicePublishing, 'targets'>
  readonly wiring: Pick<DeviceWiring, 'of'>
  readonly values: Pick<CurrentValues, 'get'>
}

/** The rights of devices to bytes. */
export const deviceBytesOf = ({ publishing, wiring, values }: DeviceBytesDeps): DeviceBytes => ({
  assertStores(device, { name, volatile }) {
    if (!volatile)
      throw new ProblemError('forbidden', 'a device stores pictures that pass by alone: send volatile=true')
    publishing.targets(device, { message: name })
  },

  assertReads(device, digest) {
    const isShown = wiring
      .of(device)
      .filter(({ direction }) => direction === 'out')
      .some(({ message }) => artifactRefsIn(values.get(message)?.value).some((ref) => ref.digest === digest))
    if (!isShown)
      throw new ProblemError('forbidden', `what the ports of device "${device}" follow has no such bytes now`)
  },
})
