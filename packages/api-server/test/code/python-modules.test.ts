import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { pythonSource } from '@flow-service/protocol'
import { expect, onTestFinished, test } from 'vitest'

import { readPythonFile } from '../../src/code/python-modules.ts'

function project(files: Record<string, string>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'python-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  return root
}
const read = (root: string) => {
  const { source, files } = readPythonFile(path.join(root, 'main.py'))
  return { source, files: files.map((file) => path.relative(root, file)) }
}

test('a file that imports nothing from beside it is its own source', () => {
  const text = 'import os, json\nfrom collections import deque\nfrom service import emit\ndef run(): pass'
  const root = project({ 'main.py': text, 'other.py': 'x = 1\n', 'service.py': 'x = 1\n' })
  expect(read(root)).toEqual({ source: text, files: ['main.py'] })
})

test('modules and packages that it reaches come with it, in whatever way they are imported [R617]', () => {
  const files = {
    'main.py': 'import os, tools as t\ndef run():\n    from pack.deep import f\n    import wide.inner\n',
    'tools.py': 'from further import (\n  one,\n)\n',
    'further.py': 'import tools\none = "größe\\n"\n',
    'pack/__init__.py': '',
    'pack/deep.py': 'from . import near\nimport late\n',
    'pack/near.py': '',
    'pack/__pycache__/x.py': '',
    'pack.py': 'the package wins',
    'late.py': 'x = 1\n',
    'wide/inner.py': '',
    'unrelated.py': 'x = 1\n',
  }
  const root = project(files)
  const { source, files: found } = read(root)
  const reached = [
    'further.py',
    'late.py',
    'pack/__init__.py',
    'pack/deep.py',
    'pack/near.py',
    'tools.py',
    'wide/inner.py',
  ]
  expect(found).toEqual(['main.py', ...reached])
  const modules = reached.map((name) => ({ path: name, text: files[name as keyof typeof files] }))
  expect(source).toBe(pythonSource(files['main.py'], modules))
  expect(source.startsWith(files['main.py'])).toBe(true)

  writeFileSync(path.join(root, 'unrelated.py'), 'x = 2\n')
  expect(read(root).source).toBe(source)
  writeFileSync(path.join(root, 'late.py'), 'x = 2\n')
  expect(read(root).source).not.toBe(source)
})

test('a file of an imported name that is no module is left alone', () => {
  const root = project({ 'main.py': 'import data\n', data: '1,2' })
  expect(read(root).files).toEqual(['main.py'])
})
