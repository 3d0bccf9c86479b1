/**
 * Arguments of Node for processes of tests: packages from their source, and WebAssembly compiled once. V8's second
 * compiler would work for half a second, in 600 MB, on the SQL parser of the embedded PostgreSQL alone, in each process.
 */
export const nodeArguments = ['--conditions=@flow-service/source', '--liftoff-only']
