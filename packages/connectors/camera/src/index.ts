/**
 * IP cameras as a node type.
 * @module
 */
export { Camera } from './camera.ts'
