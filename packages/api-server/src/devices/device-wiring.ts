/**
 * What flows have to do with devices, as the slice of flows tells it.
 * @module
 */
import type { DeviceBinding } from '@flow-service/protocol'

/** How published live flows wire devices, and who reads what they send. */
export interface DeviceWiring {
  /** The ports of a device as nodes of published live flows wire them, by flow, node and port. */
  of(device: string): readonly DeviceBinding[]
  /** Whether a node of a running flow reads a message, by its qualified name. */
  isRead(message: string): boolean
  /** Called when the wiring, or who reads, may have changed: once for all changes of a turn. The result ends that. */
  onChange(listener: () => void): () => void
}
