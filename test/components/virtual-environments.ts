/** Virtual environments of an interpreter of the tests, with packages that are made on the spot. */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes an environment without pip at a path, in which the package `numbers_of` of this version gives that version. */
export function makeEnvironment(python: string, path: string, version: string): void {
  execFileSync(python, ['-m', 'venv', '--without-pip', path])
  putPackage(path, version)
}

/** Puts the package of this version in the place of another one. */
export function putPackage(path: string, version: string): void {
  const [site = ''] = globSync(join(path, 'lib', 'python3*', 'site-packages'))
  for (const name of ['numbers_of', `numbers_of-${version}.dist-info`]) mkdirSync(join(site, name), { recursive: true })
  writeFileSync(join(site, 'numbers_of', '__init__.py'), `VERSION = "${version}"\n`)
  const about = `Metadata-Version: 2.1\nName: numbers-of\nVersion: ${version}\n`
  writeFileSync(join(site, `numbers_of-${version}.dist-info`, 'METADATA'), about)
  writeFileSync(join(site, `numbers_of-${version}.dist-info`, 'top_level.txt'), 'numbers_of\n')
}
