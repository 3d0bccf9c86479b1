/** How the engine reads JSON of a request, for benchmarks. */
export { parseJson } from '../../src/http/json-text.ts'
