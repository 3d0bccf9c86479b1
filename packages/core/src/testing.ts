/**
 * The runtime without a server, for tests and embedders.
 * @module
 */
export { Cascade } from './live/cascade.ts'
export { Loop, type Receiver } from './live/loop.ts'
export type { MemoryDevices } from './memory-devices.ts'
export { type MemoryHost, memoryHost, type MemoryHostOptions, type PublishedValue } from './memory-host.ts'
export { VirtualClock } from './virtual-clock.ts'
