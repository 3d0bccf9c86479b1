/**
 * A page for each package: its README, with the title where the site has its own.
 * @module
 */
import { globSync, readFileSync } from 'node:fs'

import type { Page } from './page.ts'

const packages = new URL('../../packages/', import.meta.url)

/** From the one an author of flows meets first to the ones that are for those who look inside. */
const names = [
  'flow-sdk',
  'node-types',
  'testing',
  'cli',
  'client-sdk',
  'device-sdk',
  'mcp',
  'commands-lm',
  'api-server',
  'connector-sdk',
  'console',
  'create-flow-service',
  'create-flow-service-connector',
  'core',
  'worker-agent',
  'protocol',
  ...globSync('connectors/*', { cwd: packages }).toSorted(),
]

/** The pages of all packages. */
export const packagePages = (): Page[] => names.map((name, at) => packagePage(name, at + 1))

function packagePage(name: string, order: number): Page {
  const readme = readFileSync(new URL(`${name}/README.md`, packages), 'utf8')
  const [heading = '', ...rest] = readme.split('\n')
  const manifest = JSON.parse(readFileSync(new URL(`${name}/package.json`, packages), 'utf8')) as {
    name: string
    description: string
  }
  if (heading !== `# ${manifest.name}`) throw new Error(`packages/${name}/README.md does not begin with its name`)
  const title = manifest.name.replace('@flow-service/', '')
  return { path: `packages/${title}`, title, description: manifest.description, order, body: rest.join('\n') }
}
