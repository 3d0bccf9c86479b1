import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

import { afterEach, expect, test, vi } from 'vitest'

import { createProject, nextSteps, UsageError, writeTemplate } from '../src/index.ts'
import { askedBy, MadeFolder, usualVersions } from './made-folder.ts'

afterEach(() => void vi.unstubAllEnvs())

test('a project is called as its folder, unless told otherwise', () => {
  using at = new MadeFolder()
  const made = createProject({ dir: at.folder })
  expect(made).toMatchObject({ name: 'package', folder: at.folder, installed: false })
  expect(JSON.parse(at.read('package.json'))).toMatchObject({ name: 'package', private: true, type: 'module' })
  expect(at.read('README.md')).toMatch(/^# package\n/)
  for (const file of made.files) expect(at.read(file)).not.toMatch(/my-app|workspace:/)
  const other = join(at.home, 'other')
  expect(createProject({ dir: other, name: '@me/flows' })).toMatchObject({ name: '@me/flows', folder: other })
})

test('it has two flows with their tests, and what an editor and git look for', () => {
  using at = new MadeFolder()
  const { files } = createProject({ dir: at.folder })
  expect(files).toEqual([
    '.gitignore',
    '.vscode/extensions.json',
    '.vscode/launch.json',
    '.vscode/settings.json',
    'README.md',
    'flows/fit-line.ts',
    'flows/postbox.ts',
    'package.json',
    'test/fit-line.test.ts',
    'test/postbox.test.ts',
    'tsconfig.json',
  ])
})

test('packages of ours are asked for in the version of this one, and others as the workspace has them', () => {
  using at = new MadeFolder()
  createProject({ dir: at.folder })
  const asked = askedBy(at.read('package.json'))
  expect(asked).toEqual(usualVersions(Object.keys(asked)))
})

test.each([
  [{ name: '' }, '"" is no name for an npm package: it is empty; give another, such as my-app'],
  [{ name: '../up' }, 'is no name for an npm package: it has other characters'],
  [{ name: 'node_modules' }, 'npm keeps it for itself'],
  [{ name: 'vitest' }, '"vitest" is the name of a package that the project needs; give another, such as my-app'],
  [{ name: '@flow-service/cli' }, 'is the name of a package that the project needs'],
  [{}, '"My App" is no name for an npm package: it has capital letters; give one with --name, such as my-app'],
])('%j is refused with what to do, and nothing is made', (options, message) => {
  using at = new MadeFolder()
  const create = () => createProject({ dir: join(at.home, 'My App'), ...options })
  expect(create).toThrow(UsageError)
  expect(create).toThrow(message)
  expect(readdirSync(at.home)).toEqual([])
})

test('a folder that has something is left alone, and one that only has a repository is taken', () => {
  using at = new MadeFolder()
  for (const name of ['a', 'b', 'c', 'd', 'e']) writeFileSync(join(at.home, name), '')
  expect(() => createProject({ dir: at.home, name: 'mine' })).toThrow(
    / is not empty, it has "a", "b", "c" and 2 more; give /,
  )
  expect(() => createProject({ dir: join(at.home, 'a') })).toThrow(/ is a file; give another folder$/)
  expect(readdirSync(at.home)).toEqual(['a', 'b', 'c', 'd', 'e'])
  mkdirSync(join(at.folder, '.git'), { recursive: true })
  expect(createProject({ dir: at.folder }).files).toContain('.gitignore')
})

test('of what cannot be written whole, nothing is left', () => {
  using at = new MadeFolder()
  const template = join(at.home, 'template')
  mkdirSync(join(template, 'flows'), { recursive: true })
  for (const file of ['README.md', 'flows/flow.ts', 'long.txt']) writeFileSync(join(template, file), 'text')
  // no file system takes it
  const words = { long: 'l'.repeat(300) }
  const write = (folder: string) => () => writeTemplate({ folder, templates: [template], words, version: '1.0.0' })
  const failure = /cannot be made, and nothing of it is left: ENAMETOOLONG: /
  expect(write(join(at.home, 'far', 'away'))).toThrow(failure)
  expect(existsSync(join(at.home, 'far'))).toBe(false)
  mkdirSync(join(at.folder, '.git'), { recursive: true })
  expect(write(at.folder)).toThrow(failure)
  expect(readdirSync(at.folder)).toEqual(['.git'])
})

test.each([
  ['', 'npm install', 'npm test', 'npm run dev', 'npx service run', 'npm start'],
  ['pnpm/12.0.0 npm/? node/v24.0.0', 'pnpm install', 'pnpm test', 'pnpm dev', 'pnpm exec service run', 'pnpm start'],
  ['yarn/4.9.0 npm/? node/v24.0.0', 'yarn install', 'yarn test', 'yarn dev', 'yarn service run', 'yarn start'],
  ['bun/1.3.0 npm/? node/v24.0.0', 'bun install', 'bun run test', 'bun run dev', 'bunx service run', 'bun run start'],
  ['deno/2.0.0', 'npm install', 'npm test', 'npm run dev', 'npx service run', 'npm start'],
])('who works by "%s" is told its commands', (agent, ...commands) => {
  using at = new MadeFolder()
  vi.stubEnv('npm_config_user_agent', agent)
  const steps = nextSteps(createProject({ dir: at.folder }))
  for (const command of commands.slice(0, -1)) expect(steps).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'))
  const [, , dev, run] = commands
  const readme = at.read('README.md')
  for (const command of commands) expect(readme).toMatch(new RegExp(`(?:\`|\n)${command}\\b`))
  expect(readme).toContain(`\n${run} fit_line --watch\n`)
  expect(readme).toContain(dev === 'npm run dev' ? 'npm run dev -- --port' : `${dev} --port`)
})

test('a repository is begun and packages are installed when that is asked for', () => {
  using at = new MadeFolder()
  const begun = createProject({ dir: at.folder, git: true })
  expect(existsSync(join(at.folder, '.git/HEAD'))).toBe(true)
  expect(nextSteps(begun)).toContain('\n  npm install\n')
  // in place of the one that would ask the network
  const manager = join(at.home, 'bin/npm')
  mkdirSync(join(at.home, 'bin'))
  writeFileSync(manager, '#!/bin/sh\necho "$@" > installed.txt\n', { mode: 0o755 })
  vi.stubEnv('PATH', `${join(at.home, 'bin')}${delimiter}${process.env.PATH}`)
  const other = join(at.home, 'other')
  const installed = createProject({ dir: other, install: true })
  expect(readFileSync(join(other, 'installed.txt'), 'utf8')).toBe('install\n')
  expect(nextSteps(installed)).not.toContain('npm install')
})

test('a project stays when its package manager fails, and the line to type again is told', () => {
  using at = new MadeFolder()
  vi.stubEnv('PATH', '')
  expect(() => createProject({ dir: at.folder, install: true })).toThrow(
    /^the project is made, but "npm install" failed \(spawnSync npm ENOENT\); run it in ".*package"$/,
  )
  expect(readdirSync(at.folder)).toContain('package.json')
})
