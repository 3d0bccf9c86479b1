import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { readRequirement } from '../../src/modules/requirement-line.ts'
import { readManifest } from '../../src/modules/requirements.ts'

const read = (line: string) => {
  const found = readRequirement(line)
  if (found === null) return null
  return found.kind === 'python' ? found.text : found.kind === 'npm' ? [found.name, found.range] : found.message
}

describe('a line', () => {
  test.each([
    ['numpy', 'numpy'],
    ['  numpy >= 2 , <3  # arrays', 'numpy>=2,<3'],
    ['numpy (>=2)', 'numpy>=2'],
    ['Zope.Interface==5.*', 'Zope.Interface==5.*'],
    ['torch==2.5.1+cpu', 'torch==2.5.1+cpu'],
    ['uvicorn[standard, other]~=0.30', 'uvicorn[standard,other]~=0.30'],
    ['x===1!2.0.post1', 'x===1!2.0.post1'],
    ['tomli; python_version < "3.11"', 'tomli ; python_version < "3.11"'],
    [
      "a>=1;(sys_platform=='linux' or os_name == 'nt') and platform_machine not in \"arm64 x86\"",
      "a>=1 ; ( sys_platform == 'linux' or os_name == 'nt' ) and platform_machine not in \"arm64 x86\"",
    ],
    ['npm:ms@^2.1.0', ['ms', '^2.1.0']],
    ['npm:@flows/sensor@>=1.2 <3 || 4.x # a connector', ['@flows/sensor', '>=1.2 <3 || 4.x']],
    ['npm:ms@*', ['ms', '*']],
    ['npm:ms@1.0.0 - 2.0.0-beta.1', ['ms', '1.0.0 - 2.0.0-beta.1']],
    ['', null],
    ['   # numpy', null],
    ['#', null],
  ])('%j is read as %j [R151]', (line, expected) => {
    expect(read(line)).toEqual(expected)
  })

  test.each([
    ['-i https://elsewhere.example/simple', 'options are not taken'],
    ['--extra-index-url=https://elsewhere.example', 'options are not taken'],
    ['-e .', 'options are not taken'],
    ['-r more.txt', 'options are not taken'],
    ['-c limits.txt', 'options are not taken'],
    ['git+https://example.com/x.git', 'addresses are not taken'],
    ['x @ file:///etc/passwd', 'addresses are not taken'],
    ['x@https://example.com/x.whl', 'addresses are not taken'],
    ['x @ ./x', 'addresses are not taken'],
    ['./x', 'files are not taken'],
    ['/tmp/x', 'files are not taken'],
    ['x.whl', 'files are not taken'],
    ['numpy \\', 'a requirement stands on one line'],
    ['${PACKAGE}>=1', 'variables are not replaced'],
    ['numpy>=${VERSION}', 'variables are not replaced'],
    ['numpy --hash=sha256:00', 'write a package with versions'],
    ['numpy>=', 'write a package with versions'],
    ['numpy 2', 'write a package with versions'],
    ['numpy[', 'write a package with versions'],
    ['-', 'options are not taken'],
    ['nümpy', 'write a package with versions'],
    [`a${'b'.repeat(100)}`, 'write a package with versions'],
    ['numpy; python_version', 'what follows ";" is no condition'],
    ['numpy; python_version < "3.13" and', 'what follows ";" is no condition'],
    ['numpy; home == "/root"', 'what follows ";" is no condition'],
    [`numpy; ${'('.repeat(100)}`, 'what follows ";" is no condition'],
    ['numpy\u0000', 'characters that are not text'],
    ['numpy\r-e .', 'characters that are not text'],
    ['numpy\u2028-e .', 'characters that are not text'],
    ['numpy \ud800', 'characters that are not text'],
    [`numpy>=${'1.'.repeat(300)}1`, 'characters: use at most 500'],
    ['npm:ms', 'it has no range: write npm:ms@^1.0.0'],
    ['npm:ms@', 'it has no range'],
    ['npm:ms@npm:other@1', 'it names no package'],
    ['npm:ms@latest', 'after "@" stands no range'],
    ['npm:ms@git+https://example.com/x.git', 'after "@" stands no range'],
    ['npm:ms@file:../x', 'after "@" stands no range'],
    ['npm:ms@https://example.com/x.tgz', 'after "@" stands no range'],
    ['npm:ms@1 --force', 'after "@" stands no range'],
    ['npm:../x@1', 'it names no package'],
    ['npm:@a/../b@1', 'it names no package'],
    ['npm:node_modules@1', 'it names no package'],
    ['npm:-g@1', 'it names no package'],
  ])('%j is refused: %s [T84]', (line, expected) => {
    expect(read(line)).toContain(expected)
  })

  test('is shown without the password of an address [T84]', () => {
    expect(read('--index-url https://user:hunter2@example.com/simple')).toContain(
      '"--index-url https://***@example.com/',
    )
  })
})

test('the lines of the guide are taken', () => {
  const guide = join(import.meta.dirname, '../../../../docs-site/src/content/docs/guide/modules.mdx')
  const [, text = ''] = /^```text title="requirements.txt"\n(.+?)^```$/ms.exec(readFileSync(guide, 'utf8')) ?? []
  const { python, npm } = readManifest(text)
  expect([python.length, npm.length]).toEqual([3, 1])
})

test('whatever a line is, pip gets a name, versions and a condition of it, or nothing [T84]', () => {
  const pieces = [
    'numpy',
    '-r',
    '@',
    ' ',
    '==',
    '1.0',
    ';',
    '"',
    "'",
    '(',
    ')',
    '[',
    ']',
    ',',
    '\\',
    '$',
    '{',
    '/',
    ':',
    'npm:',
    '#',
    '^',
    '||',
    'python_version',
    'and',
  ]
  const line = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(line, (text) => {
      const found = readRequirement(text)
      if (found?.kind === 'python') {
        expect(found.text).toMatch(
          /^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._,-]*\])?[A-Za-z0-9._*+!<>=~,-]*( ; [^\\${}#@]+)?$/,
        )
        expect(readRequirement(found.text)).toEqual(found)
      }
      if (found?.kind === 'npm') expect(found.range).toMatch(/^[0-9A-Za-z.*^~<>=| +-]+$/)
    }),
    { numRuns: 2000 },
  )
})
