/**
 * Weather of Open-Meteo as a node type.
 * @module
 */
export { OpenMeteo } from './open-meteo.ts'
