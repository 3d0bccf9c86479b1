/** Gives the packages for Python the version that all packages have: part of `npm run version`. */
import { readFileSync, writeFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync('packages/protocol/package.json', 'utf8')) as { version: string }
const projects = ['packages/device-python/pyproject.toml', 'packages/python/pyproject.toml']
for (const project of projects) {
  writeFileSync(project, readFileSync(project, 'utf8').replace(/^version = ".*"$/m, `version = "${version}"`))
}
