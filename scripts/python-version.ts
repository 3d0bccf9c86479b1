/** Gives the package for Python the version that all packages have: part of `npm run version`. */
import { readFileSync, writeFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync('packages/protocol/package.json', 'utf8')) as { version: string }
const project = 'packages/device-python/pyproject.toml'
writeFileSync(project, readFileSync(project, 'utf8').replace(/^version = ".*"$/m, `version = "${version}"`))
