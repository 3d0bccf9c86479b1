import { defineConfig } from 'vitest/config'

const source = ['@flow-service/source']
export default defineConfig({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source } },
  test: {
    execArgv: ['--conditions=@flow-service/source'],
    benchmark: { include: ['bench/**/*.bench.ts'] },
    pool: 'forks',
    // Node's own modules: Vite's rewritten imports cost ten times what is measured here.
    experimental: { viteModuleRunner: false },
    // One at a time: two benchmarks on one machine measure each other.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
