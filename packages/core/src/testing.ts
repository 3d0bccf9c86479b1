/**
 * The runtime without a server, for tests and embedders.
 * @module
 */
export { Cascade } from './cascade.ts'
export { Loop, type Receiver } from './loop.ts'
export { type MemoryHost, memoryHost, type MemoryHostOptions, type PublishedValue } from './memory-host.ts'
export { VirtualClock } from './virtual-clock.ts'
