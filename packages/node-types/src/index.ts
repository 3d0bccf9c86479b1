/**
 * The built-in node types.
 * @module
 */
export * from './generated/node-types.ts'
export { type CommandsNodeOptions, createCommandsNode } from './types/commands_lm/node.ts'
export { headerFindings } from './header-findings.ts'
export { addressFindings } from './server-address.ts'
export { pushRequest } from './types/push/push-request.ts'
