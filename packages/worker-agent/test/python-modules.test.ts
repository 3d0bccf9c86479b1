import { pythonSource } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { parsePython } from '../src/index.ts'
import { type Last, pythons, sharedRig } from './harness.ts'

const failureOf = (last: Last) => (last.type === 'error' ? last.error : null)
const outputsOf = (last: Last) => (last.type === 'result' ? last.outputs : last.error)

describe.each(pythons)('modules that a source brings, with %s', (python) => {
  const shared = sharedRig({ python })
  const modules = [
    {
      path: 'tools.py',
      text: '"""größe"""\nfrom service import emit\ndef half(x):\n    emit(loss=x)\n    return x / 2\n',
    },
    { path: 'pack/__init__.py', text: 'from .deep import f\n' },
    { path: 'pack/deep.py', text: 'import tools\ndef f(x):\n    return tools.half(x) + 1\n' },
    { path: 'wide/inner.py', text: 'name = __name__\n' },
  ]

  test('are imported as from beside the file, and call the helpers', async () => {
    const source = 'from pack import f\nimport wide.inner\ndef run(x):\n    return {"y": [f(x), wide.inner.name]}'
    for (const mode of ['batch', 'live'] as const) {
      const id = shared().begin({ source: pythonSource(source, modules), inputs: { x: 4 }, mode })
      expect(outputsOf(await shared().last(id))).toEqual({ y: [3, 'wide.inner'] })
      expect(shared().emitted(id)).toEqual([{ loss: 4 }])
    }
  })

  test('show their own lines in a traceback, also when they fail at import', async () => {
    const bad = [{ path: 'bad.py', text: 'x = 1\n\ndef fail():\n    raise KeyError("lr")\n' }]
    const source = 'import bad\ndef run():\n    bad.fail()\n'
    const failed = failureOf(await shared().call({ source: pythonSource(source, bad) }))
    // Newer versions mark the place under a line.
    expect(failed?.traceback?.replaceAll(/^[ ~^]+\n/gm, '')).toBe(
      'Traceback (most recent call last):\n  File "train.py", line 3, in run\n    bad.fail()\n' +
        '  File "bad.py", line 4, in fail\n    raise KeyError("lr")\nKeyError: \'lr\'\n',
    )
    const broken = [{ path: 'bad.py', text: 'x = 1\nx = 1 / 0\n' }]
    const trace = failureOf(await shared().call({ source: pythonSource(source, broken) }))?.traceback
    expect(trace).toContain('File "train.py", line 1, in <module>')
    expect(trace).toContain('File "bad.py", line 2, in <module>')
    expect(trace?.match(/File /g)).toHaveLength(2)
  })

  test('are gone with the process: another source does not see them', async () => {
    await shared().call({ source: pythonSource('import tools\ndef run(): pass\n', modules) })
    const last = await shared().call({ source: 'import tools\ndef run(): pass\n' })
    expect(failureOf(last)).toMatchObject({ type: 'ModuleNotFoundError' })
  })

  test('do not disturb the parser', async () => {
    const source = pythonSource('def run(x): pass', modules)
    expect(await parsePython(source, { python })).toMatchObject({ functions: [{ name: 'run', line: 1 }], error: null })
  })
})
