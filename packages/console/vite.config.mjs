import { defaultClientConditions } from 'vite'

/** The canvas is written for React; on Preact it is half as large. */
const alias = {
  react: 'preact/compat',
  'react-dom': 'preact/compat',
  'react/jsx-runtime': 'preact/jsx-runtime',
}

/** Found relative to the page, wherever it is mounted; nothing is inlined, which the page's policy would not let run. */
export default {
  base: './',
  // in a checkout other packages are taken from their source
  resolve: { alias, dedupe: ['preact'], conditions: ['@flow-service/source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    manifest: true,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      // by itself: several pages draw with it
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: 'chart', test: /[\\/](?:uplot|parts[\\/]chart)[\\/]/ }],
        },
      },
      // "use client" says nothing here
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
    },
  },
  worker: { format: 'es' },
}
