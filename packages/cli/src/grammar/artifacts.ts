import type { Command } from 'commander'

import { clientOptions, lazily, runId, withExamples } from './options.ts'

const load = () => import('../commands/artifacts.ts')
const someRun = '01a2b3c4-0000-7000-8000-000000000000'

/** `artifacts …`. */
export function addArtifacts(root: Command): void {
  const artifacts = root.command('artifacts').description('stored bytes: what runs gave, and files for them')
  const list = clientOptions(artifacts.command('list').argument('<run>', 'id of a run', runId))
    .description('the artifacts of a run')
    .action(lazily(async () => (await load()).listArtifacts))
  withExamples(list, `artifacts list ${someRun}`)
  const get = clientOptions(artifacts.command('get').argument('<digest>', 'of the artifact, or with --run its name'))
    .description('fetch an artifact: to standard output, or into a file')
    .option('--run <id>', 'the run that has an artifact of this name', runId)
    .option('-o, --output <file>', 'write a file instead of standard output')
    .option('--force', 'replace the file if it exists')
    .action(lazily(async () => (await load()).getArtifact))
  withExamples(get, `artifacts get model.json --run ${someRun} -o model.json`)
  const put = clientOptions(artifacts.command('put').argument('<file>', 'a file'))
    .description('store a file; equal bytes are stored once')
    .option('--name <text>', 'its name (that of the file)')
    .option('--type <media-type>', 'application/octet-stream unless given')
    .action(lazily(async () => (await load()).putArtifact))
  withExamples(put, 'artifacts put data.csv --type text/csv')
}
