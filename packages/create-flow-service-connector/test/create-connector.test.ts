import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { askedBy, usualVersions } from '../../create-flow-service/test/made-folder.ts'
import { createConnector, nextSteps, UsageError } from '../src/index.ts'
import { MadePackage } from './made-package.ts'

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'new-connector-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test('names of the package are those of its type, its class and its title', () => {
  using made = new MadePackage('@me/flow-service-connector-solar.panel-2', 'poll')
  expect(made.made.names).toEqual({
    package: '@me/flow-service-connector-solar.panel-2',
    type: 'solar_panel_2',
    class: 'SolarPanel2',
    title: 'Solar panel 2',
  })
  expect(made.made.files).toContain('src/solar_panel_2.ts')
  expect(JSON.parse(made.read('package.json'))).toMatchObject({
    name: '@me/flow-service-connector-solar.panel-2',
    service: { node_types: { solar_panel_2: './dist/solar_panel_2.js' } },
  })
  for (const file of made.made.files) expect(made.read(file)).not.toMatch(/acme|workspace:/i)
})

test('a class does not take the name of one that it uses', () => {
  using at = folder()
  const classOf = (type: string) => createConnector({ name: 'mine', type, dir: join(at.path, type) }).names.class
  expect(['connector', 'response', 'meter'].map(classOf)).toEqual(['ConnectorNode', 'ResponseNode', 'Meter'])
})

test('packages of ours are asked for in the version of this one, and others as the workspace has them', () => {
  using made = new MadePackage('acme-meter', 'poll')
  const asked = askedBy(made.read('package.json'))
  expect(asked).toEqual(usualVersions(Object.keys(asked)))
})

test.each([
  [{ name: '' }, '"" is no name for an npm package: it is empty'],
  [{ name: 'Acme' }, '"Acme" is no name for an npm package: it has capital letters'],
  [{ name: '../acme' }, 'is no name for an npm package: it has other characters'],
  [{ name: '@me/node_modules' }, 'npm keeps it for itself'],
  [{ name: 'a'.repeat(215) }, 'it has more than 214 characters'],
  [{ name: '2-meters' }, '"2_meters" is no name for a node type; use --type'],
  [{ name: 'acme', type: 'Acme' }, '"Acme" is no name for a node type'],
  [{ name: 'acme', kind: 'pull' }, 'there is no kind "pull" of connectors; use poll, push, served'],
])('%j is refused with what to do', (options, message) => {
  using at = folder()
  const create = () => createConnector({ ...options, dir: join(at.path, 'new') })
  expect(create).toThrow(UsageError)
  expect(create).toThrow(message)
})

test('a folder that has something is left alone, and one that only has a repository is taken', () => {
  using at = folder()
  writeFileSync(join(at.path, 'mine.txt'), '')
  expect(() => createConnector({ name: 'acme', dir: at.path })).toThrow(/ is not empty, it has "mine\.txt"; give /)
  expect(() => createConnector({ name: 'acme', dir: join(at.path, 'mine.txt') })).toThrow(/ is a file; /)
  mkdirSync(join(at.path, 'new/.git'), { recursive: true })
  const made = createConnector({ name: 'acme', dir: join(at.path, 'new') })
  expect(made.files).toContain('.gitignore')
  expect(nextSteps(made)).toMatch(/\n {2}cd .*new\n {2}npm install\n {2}npm test .*\n {2}npm run dev /)
})
