import { defaultClientConditions } from 'vite'

/** Found relative to the page, wherever it is mounted; nothing is inlined, which the page's policy would not let run. */
export default {
  base: './',
  // in a checkout other packages are taken from their source
  resolve: { conditions: ['@flow-service/source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0, manifest: true },
  worker: { format: 'es' },
}
