import { build } from '../../tsup.base.ts'

// a file a module, so that bundles of node code take only what they use, and not zod with it
export default build({ entry: ['src/*.ts'], dts: { entry: ['src/index.ts', 'src/words.ts'] } })
