/** What run-flood.bench.ts compares runs with: jobs of graphile-worker, which do what the three nodes do, on the database of its argument. */
import { Logger, makeWorkerUtils, run } from 'graphile-worker'

const [connectionString = '', loops = '1'] = process.argv.slice(2)
const quiet = new Logger(() => () => {})
const utils = await makeWorkerUtils({ connectionString, logger: quiet })
await utils.migrate()

let left = 0
let over = (): void => {}
const runner = await run({
  connectionString,
  concurrency: Number(loops),
  logger: quiet,
  taskList: {
    three(payload) {
      let { x } = payload as { x: number }
      for (let node = 0; node < 3; node++) x *= 2
      if (--left === 0) over()
    },
  },
})

process.on('message', ({ jobs }: { readonly jobs: number }) => void flood(jobs))
process.once('SIGTERM', () => void stop())
process.send?.('ready')

/** Tells the jobs a second, from the call that adds them to the last one's end. */
async function flood(jobs: number): Promise<void> {
  left = jobs
  const startedMs = performance.now()
  const ended = new Promise<void>((resolve) => (over = resolve))
  await utils.addJobs(Array.from({ length: jobs }, (_, x) => ({ identifier: 'three', payload: { x } })))
  await ended
  process.send?.((jobs * 1000) / (performance.now() - startedMs))
}

async function stop(): Promise<void> {
  await runner.stop()
  await utils.release()
  process.exit()
}
