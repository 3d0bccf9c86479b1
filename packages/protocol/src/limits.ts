/**
 * Limits that client, engine and worker agree on. Bytes are UTF-8 bytes.
 * @module
 */

/** Deepest nesting of a JSON body. */
export const MAX_JSON_DEPTH = 64
/** Nodes that a document has at most. */
export const MAX_NODES = 100_000
/** Largest JSON body of the API, in bytes. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024
/** Largest webhook body, in bytes (G68). */
export const MAX_HOOK_BYTES = 1024 * 1024
/** Largest node output or result value that is stored in the database, in bytes of JSON (G35). */
export const MAX_STORED_VALUE_BYTES = 262_144
/** Log text kept per node record, in bytes; the tail is kept (G30). */
export const MAX_LOG_BYTES = 65_536
/** Largest frame between engine and worker, in bytes (G54). */
export const MAX_WORKER_FRAME_BYTES = 32 * 1024 * 1024
/** Deliveries that may wait for one busy node (G15). */
export const MAX_MAILBOX = 1000
/** Deliveries that a paused flow holds (G24). */
export const MAX_HELD = 1000
/** Executions of one cascade before it is stopped (G14). */
export const MAX_CASCADE_EXECUTIONS = 1000
/** Values kept in a message's history (G28). */
export const MAX_HISTORY = 1000
/** Largest value kept in a message's history, in bytes of JSON; longer ones are kept as null (G28). */
export const MAX_HISTORY_VALUE_BYTES = 64_000
/** Runs of one sweep (G32). */
export const MAX_SWEEP_RUNS = 10_000
/** Largest body of a sweep, in bytes: 10,000 runs with params of 1.6 kB each. */
export const MAX_SWEEP_BYTES = 16 * 1024 * 1024
/** Runs of one import (G33). */
export const MAX_IMPORT_RUNS = 200
/** Runs of one comparison of curves (G36). */
export const MAX_COMPARED_RUNS = 50
/** Runs of one export, and runs of which the names of curves are told: the newest ones of the selection (G37). */
export const MAX_SELECTED_RUNS = 10_000
/** Highest number of runs of one flow that a document may ask to execute at once. */
export const MAX_CONCURRENCY = 10_000
/** Largest layout of a flow, in bytes of JSON (V22). */
export const MAX_LAYOUT_BYTES = 262_144
/** Farthest that a node is drawn from the origin, on each axis (V22). */
export const MAX_LAYOUT_COORDINATE = 1e6
/** Clients of one served socket (G69). */
export const MAX_SOCKET_CLIENTS = 1000
/** Largest value of a secret, in bytes (G48). */
export const MAX_SECRET_BYTES = 65_536
/** Keys of one package in the store of connectors (G51). */
export const MAX_STORE_KEYS = 256
/** Length of such a key, in UTF-16 units. */
export const MAX_STORE_KEY_LENGTH = 200
/** Largest value in the store of connectors, in bytes of UTF-8. */
export const MAX_STORE_VALUE_BYTES = 65_536
/** Largest manifest of modules, in bytes (G49). */
export const MAX_REQUIREMENTS_BYTES = 65_536
/** Lines of a manifest of modules, comments and blanks among them. */
export const MAX_REQUIREMENT_LINES = 500
/** Widgets of one dashboard (U9). */
export const MAX_WIDGETS = 200
/** Largest content of a dashboard, in bytes of JSON. */
export const MAX_DASHBOARD_BYTES = 1024 * 1024
