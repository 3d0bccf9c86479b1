/**
 * Devices that speak Modbus TCP as a node type.
 * @module
 */
export { Modbus } from './modbus.ts'
