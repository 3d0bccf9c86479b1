import { build } from '../../tsup.base.ts'

export default build({ entry: ['src/index.ts', 'src/command.ts', 'src/bin.ts', 'src/node-runner.ts'] })
