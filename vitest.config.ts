import { defaultExclude, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

import { nodeArguments } from './test/components/node-arguments.ts'
import { hasPostgres } from './test/components/postgres.ts'

const source = ['@flow-service/source']

/** What only a server can do. */
const onServer = [
  'artifacts/shared',
  'auth/shared',
  'alerts/shared',
  'auth/oidc/shared',
  'dashboards/shared',
  'devices/shared',
  'engines/{placement-store,shared,shared-roster}',
  'flows/far-flows',
  'flows/shared',
  'modules/shared',
  'moving/{move,backup-of-server}',
  'runs/shared',
  'runs/stages/shared',
  'runs/tracking/shared',
  'secrets/shared',
  'workers/shared',
].map((suite) => `packages/api-server/test/${suite}.test.ts`)
/** Suites that reach the database's tables; on a server they run a second time. */
const onDatabase = [
  'alerts/ledger',
  'artifacts/{artifacts,delete,routes,sweep,tickets}',
  'auth/{accounts,first-start,keys,recovery,sign-in,oidc/sign-in}',
  'events/{event-log,event-socket}',
  'code/expired-code',
  'connectors/state',
  'dashboards/{dashboards,references}',
  'devices/{devices,pairing,pairing-threats}',
  'flows/{broken-changes,code-flows,concurrent-changes,discard-draft,documents,duplicate,flow-list,flow-run,held-work,layout,live,long-documents,older-contents,rename,submitted-flows,versions}',
  'flows/{control/{live-control,node-control},sources/{library,node-source}}',
  'mail/mails',
  'messages/{crash,last-values,recovered-values,rename-values,routes}',
  'observability/{lists,replay,state}',
  'provisioning/{slurm,ray}-{life,recovery}',
  'runs/{admission,cancel,claimed-submissions,deleted-flow,history,import,limits,pruned-versions,races,retry,routes,run-artifacts,runs,sweep}',
  'runs/{curves/points-of-runs,lists/{list-routes,older-runs,run-lists},reports/{columns-text,comparison,run-export},stages/{cache,environments,flights,reasons,stored-values},tracking/{leases,routes,tracked-runs}}',
  'secrets/{restart,secrets}',
  'work/{arrivals,lost-flows,work}',
  'workers/flavors',
].map((suite) => `packages/api-server/test/${suite}.test.ts`)

/**
 * Packages whose tests start no engine and leave nothing behind in their process: their files share one, which spares each
 * of them most of its time.
 */
const light = ['protocol', 'flow-sdk', 'connector-sdk', 'core', 'node-types', 'commands-lm', 'device-sdk', 'cli']
  .map((name) => `packages/${name}/test/**/*.test.ts`)
  .concat('packages/connectors/*/test/**/*.test.ts')

/** Files that replace a module, or look at all that their process has loaded: each has a process of its own. */
const alone = ['db/process-guard', 'hooks/routed-flows', 'http/socket-guests', 'mounted-routes'].map(
  (suite) => `packages/api-server/test/${suite}.test.ts`,
)

/** What one file leaves behind is what the next one finds, and sparing each file its imports spares a third of the time. */
const shared = { pool: 'forks', isolate: false, setupFiles: 'test/components/left-as-found.ts' } as const

/** Files that take longest, longest first: at the end one worker alone would be busy with them. */
const longest = [
  'test/provisioner-slurm',
  'test/provisioner-ray',
  'test/kept-runs-kill',
  'test/worker-resume',
  'test/many-engines',
  'test/ledger-kill',
  'test/recipes',
  'modules/modules',
  'test/server-backend',
  'test/modules-kill',
  'flows/held-work',
  'test/live-kill',
  'test/track-kill',
  'secrets/secrets',
  'test/faults-process',
  'test/hot-reload',
  'test/crash-loop',
  'db/kill',
  'db/power-cut',
  'runs/run-faults',
].map((name) => `${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(name))
      return at === -1 ? longest.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source } },
  test: {
    // A child process started by a test gets them as well.
    execArgv: nodeArguments,
    // Most suites wait for processes and disks: three files at a time keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Limits only end what hangs: a busy machine takes many times as long as an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for mostly comes within a few turns of the event loop.
    expect: { poll: { timeout: 120_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: [...defaultExclude, ...onServer, ...light, ...alone],
          ...shared,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone,
          pool: 'forks',
        },
      },
      {
        extends: true,
        test: {
          name: 'light',
          include: light,
          pool: 'forks',
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: hasPostgres() ? [...onDatabase, ...onServer] : [],
          globalSetup: 'test/components/postgres-setup.ts',
          ...shared,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          pool: 'forks',
        },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['packages/{*,connectors/*}/test/**/*.test-d.ts'],
            checker: 'tsc',
            tsconfig: './tsconfig.type-tests.json',
          },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/{*,connectors/*}/src/**'],
      exclude: ['**/generated/**'],
      reporter: ['text-summary', 'json-summary'],
    },
  },
})
