/**
 * What flows have to do with devices: asked for by publications, sockets and records of devices, and answered by the slice of
 * flows, which stands behind this one.
 * @module
 */
import type { DeviceBinding } from '@flow-service/protocol'

/** How published live flows wire devices, and who reads what they send. */
export interface DeviceWiring {
  /** The ports of a device as nodes of published live flows wire them, by flow, node and port. */
  of(device: string): readonly DeviceBinding[]
  /** Whether a node of a running flow reads a message, by its qualified name. */
  isRead(message: string): boolean
  /** Called with each flow that is published, gets another name or goes; the result ends that. */
  onPublished(listener: (flow: string) => void): () => void
  /** Called when other messages than before may be read: a flow starts, stops or pauses; the result ends that. */
  onReaders(listener: () => void): () => void
}
