import { createRequire } from 'node:module'

/** Version of the engine: that of this package. */
export const engineVersion: string = (createRequire(import.meta.url)('../package.json') as { version: string }).version
