/** Why a device has ended: nothing but another `connect` makes it go on. */
export type EndReason =
  /** By `close()`. */
  | 'closed'
  /** Another program has connected with the same credential. */
  | 'replaced'
  /** The device was unpaired or deleted, or paired anew. */
  | 'unpaired'
  /** The engine does not take the credential. */
  | 'refused'

/** How a device stands with its engine. */
export type DeviceStatus =
  /** Before the first attempt has come to an end. */
  | { readonly state: 'connecting' }
  | { readonly state: 'online' }
  /** The engine is away; the next attempt is made after a pause. */
  | { readonly state: 'offline'; readonly detail: string; readonly retryInMs: number }
  | { readonly state: 'ended'; readonly reason: EndReason; readonly detail: string }
