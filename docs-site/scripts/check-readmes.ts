/**
 * Type-checks every TypeScript fence of the READMEs against the packages' sources; exits with 1 when one does not fit.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const dir = join(root, 'docs-site', '.astro', 'readmes')
rmSync(dir, { recursive: true, force: true })
mkdirSync(dir, { recursive: true })

let fences = 0
for (const readme of globSync(['README.md', 'packages/{*,connectors/*}/README.md'], { cwd: root })) {
  const text = readFileSync(join(root, readme), 'utf8')
  for (const [, body = ''] of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
    const name = readme.replaceAll(/[/.]/g, '-')
    // a fence without imports is a module too
    writeFileSync(join(dir, `${name}-${++fences}.ts`), `// ${readme}\n${body}\nexport {}\n`)
  }
}
const compilerOptions = {
  paths: {
    '@flow-service/node-types/flow': [join(root, 'packages/node-types/src/flow.ts')],
    '@flow-service/connector-sdk/testing': [join(root, 'packages/connector-sdk/src/testing.ts')],
    '@flow-service/connector-*': ['connectors/', 'connector-'].map((at) => join(root, `packages/${at}*/src/index.ts`)),
    '@flow-service/*': [join(root, 'packages/*/src/index.ts')],
    express: [join(root, 'examples/embedded/node_modules/@types/express')],
    zod: [join(root, 'packages/protocol/node_modules/zod')],
  },
}
const extended = join(root, 'tsconfig.base.json')
writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ extends: extended, compilerOptions, include: ['*.ts'] }))
const { status } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', dir], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
console.log(
  status === 0 ? `${fences} fences of READMEs type-check` : 'a fence of a README does not type-check: see above',
)
process.exit(status === 0 ? 0 : 1)
