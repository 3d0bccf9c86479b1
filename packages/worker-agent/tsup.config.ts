import { build } from '../../tsup.base.ts'

export default build({ entry: ['src/index.ts', 'src/node-runner.ts'] })
