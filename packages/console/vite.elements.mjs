import console from './vite.config.mjs'

/** The elements: one module with all that they need, for pages that load it as it is and for bundlers. */
export default {
  ...console,
  build: {
    target: 'es2023',
    outDir: 'dist/elements',
    copyPublicDir: false,
    modulePreload: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: 'src/elements/index.ts',
      preserveEntrySignatures: 'strict',
      output: { entryFileNames: 'elements.js' },
    },
  },
}
