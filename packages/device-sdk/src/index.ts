/**
 * Boards and panels as devices of flow-service.
 * @module
 */
export type { Clock } from './clock.ts'
export { connect, type ConnectOptions, Device, type ValueSource } from './device.ts'
export { DeviceError, type DeviceFault } from './device-error.ts'
export type { DeviceStatus, EndReason } from './device-status.ts'
export type { Published } from './outbox.ts'
export { pair, type PairedDevice, type PairOptions } from './pairing.ts'
export type { OpenWebSocket, WebSocketLike } from './socket.ts'
