/**
 * The built-in node types.
 * @module
 */
export * from './generated/node-types.ts'
