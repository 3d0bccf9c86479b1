/**
 * `node:http`, not by `import`: that also reads the `WebSocket` that it exports, for which Node loads all of its `fetch`, 50 ms of
 * each start.
 * @module
 */
export const { createServer, request } = process.getBuiltinModule('node:http')
