import { defaultExclude, defineConfig } from 'vitest/config'

import { hasPostgres } from './test/components/postgres.ts'

const source = ['@flow-service/source']

/** What only a server can do. */
const onServer = 'packages/api-server/test/runs/shared.test.ts'
/** Suites that reach the database's tables; on a server they run a second time. */
const onDatabase = [
  'artifacts/{artifacts,routes}',
  'auth/{first-start,sign-in}',
  'events/{event-log,event-socket}',
  'flows/{code-flows,documents,live,work}',
  'messages/{crash,last-values,routes}',
  'runs/{metrics-run,routes,runs,stage-cache}',
].map((suite) => `packages/api-server/test/${suite}.test.ts`)

export default defineConfig({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source } },
  test: {
    // A child process started by a test runs the packages from source as well.
    execArgv: ['--conditions=@flow-service/source'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: [...defaultExclude, onServer],
          pool: 'forks',
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: hasPostgres() ? [...onDatabase, onServer] : [],
          globalSetup: 'test/components/postgres-setup.ts',
          pool: 'forks',
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 60_000,
          hookTimeout: 60_000,
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
            include: ['packages/*/test/**/*.test-d.ts'],
            checker: 'tsc',
            tsconfig: './tsconfig.json',
          },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**'],
      exclude: ['**/generated/**'],
      reporter: ['text-summary', 'json-summary'],
    },
  },
})
