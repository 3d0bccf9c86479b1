/**
 * The `service` command as a library.
 * @module
 */
export { program } from './program.ts'
