/**
 * `@flow-service/api-server/ahead`: what a program starts before it loads the engine, and is then ready sooner. It loads next to
 * nothing itself. The command line uses it; a host that starts slowly may as well.
 * @module
 */
export { prepareDatabase } from './db/embedded-thread.ts'
