import { cpSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { build } from '../../tsup.base.ts'

const { resolve } = createRequire(import.meta.url)
const file = (pkg: string, path: string) => join(dirname(resolve(`${pkg}/package.json`)), path)

/** What the reference pages load, by its name in the package: no CDN, and no runtime dependency on the UI packages. */
const assets = {
  'swagger-ui.css': file('swagger-ui-dist', 'swagger-ui.css'),
  'swagger-ui-bundle.js': file('swagger-ui-dist', 'swagger-ui-bundle.js'),
  'swagger-ui.LICENSE.txt': file('swagger-ui-dist', 'LICENSE'),
  'redoc.standalone.js': file('redoc', 'bundles/redoc.standalone.js'),
  'redoc.standalone.js.LICENSE.txt': file('redoc', 'bundles/redoc.standalone.js.LICENSE.txt'),
}

export default build({
  entry: {
    index: 'src/index.ts',
    ahead: 'src/ahead.ts',
    'evaluate-child': 'src/code/evaluate-child.ts',
    'trial-child': 'src/code/packages/trial-child.ts',
    'embedded-worker': 'src/db/embedded-worker.ts',
  },
  onSuccess: async () => {
    mkdirSync('dist/assets', { recursive: true })
    for (const [name, source] of Object.entries(assets)) cpSync(source, join('dist/assets', name))
    cpSync('src/db/migrations', 'dist/migrations', { recursive: true })
    cpSync('../device-python/flow_service_device/device.py', 'dist/device.py')
  },
})
