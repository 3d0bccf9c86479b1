import { build } from '../../tsup.base.ts'

// build.mjs makes the files that run: these are the types beside them
export default build({
  entry: { elements: 'src/elements/index.ts' },
  outDir: 'dist/elements',
  clean: false,
  dts: { only: true, compilerOptions: { stripInternal: true } },
})
