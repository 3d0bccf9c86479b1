/**
 * What is wrong with a flow, found while it is built.
 * @module
 */

/** A definition or a flow that cannot be built. The text names flow, node, port and message, and what to do. */
export class FlowError extends Error {
  override readonly name = 'FlowError'
}
