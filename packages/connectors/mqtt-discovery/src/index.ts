/**
 * Devices that announce themselves over MQTT as a node type.
 * @module
 */
export { HomeDevice } from './home-device.ts'
