import type { DeviceErrorCode } from '@flow-service/protocol'

/**
 * What an error is about, for programs: a code of the engine, or one of these. `dropped`: newer values took its place while the
 * engine was away. `ended`: the device has been closed, replaced or unpaired. `unreachable`: nothing answered.
 */
export type DeviceFault = DeviceErrorCode | 'dropped' | 'ended' | 'unreachable' | (string & {})

/** Something that was asked of the engine was not done. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError'
  readonly code: DeviceFault
  constructor(code: DeviceFault, detail: string) {
    super(`${detail} (${code})`)
    this.code = code
  }
}
