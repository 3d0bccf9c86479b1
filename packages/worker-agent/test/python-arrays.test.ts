/** Arrays of numpy between Python nodes: published on ports of dtype artifact as files that keep dtype and shape. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ArtifactRef } from '@flow-service/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'

import { pythonWith } from '../../../test/components/python-packages.ts'
import { type CallRequest, type Last, python, rig, sharedRig } from './harness.ts'

const numpy = pythonWith('numpy')
const artifact = { outputs: [{ port: 'y', dtype: 'artifact', stream: false } as const] }
const streamed = { outputs: [{ port: 'y', dtype: 'artifact', stream: true } as const] }
const outputOf = (last: Last) => (last.type === 'result' ? last.outputs['y'] : last.error)
const failureOf = (last: Last) => (last.type === 'error' ? last.error : null)

const kinds: [name: string, expression: string][] = [
  ['of floats', 'np.arange(6, dtype="f4").reshape(2, 3)'],
  ['in Fortran order', 'np.asfortranarray(np.arange(6.0).reshape(2, 3))'],
  ['with gaps', 'np.arange(24).reshape(4, 6)[::2, ::3]'],
  ['backwards', 'np.arange(5)[::-1]'],
  ['in another byte order', 'np.arange(3, dtype=">i4")'],
  ['of one element without a dimension', 'np.array(2.5)'],
  ['without elements', 'np.zeros((0, 3), "i8")'],
  ['of records', 'np.array([(1, 2.5, "ä"), (3, 4.5, "b")], [("a", ">i2"), ("b", "f8"), ("c", "U3")])'],
  ['of records with gaps', 'np.zeros(2, np.dtype([("a", "i1"), ("b", "f8")], align=True))'],
  ['of records whose names are of no Latin alphabet', 'np.zeros(2, [("größe", "f8"), ("長さ", "i4")])'],
  [
    'with a header that is longer than the first version allows',
    'np.zeros(1, [(f"{i:0100}", "i1") for i in range(1000)])',
  ],
  ['of dates', 'np.array(["2026-11-28", "NaT"], "M8[s]")'],
  ['of complex numbers and NaN', 'np.array([1 + 2j, float("nan")])'],
  ['of flags', 'np.array([[True], [False]])'],
  ['of strings', 'np.array(["größe", "b"])'],
  ['of a class of its own', 'np.matrix([[1, 2], [3, 4]])'],
  ['that may not be written', 'np.broadcast_to(np.arange(3), (2, 3))'],
]

describe.skipIf(numpy === null)('an array', () => {
  const shared = sharedRig({ python: numpy, parallel: 4 })
  /** Publishes an array, and hands its reference to a second call, whose `check` sees both. */
  const there = async (expression: string, request: Partial<CallRequest> = artifact) => {
    const source = `import numpy as np\ndef run():\n    return {"y": ${expression}}\n`
    const ref = outputOf(await shared().call({ source, ...request })) as ArtifactRef
    return { ref, data: shared().stored.get(ref.digest) as Uint8Array }
  }
  const read = async (ref: ArtifactRef, lines: string, imports = 'import numpy as np') =>
    outputOf(await shared().call({ source: `${imports}\ndef run(x):\n    ${lines}\n`, inputs: { x: ref } }))

  test.each(kinds)('%s comes back as it went, and anybody can load the file', async (_, expression) => {
    const { ref, data } = await there(expression)
    expect(ref).toMatchObject({
      media_type: 'application/x-npy',
      name: 'y.npy',
      size: data.byteLength,
      volatile: false,
    })
    const same = `b = np.asarray(${expression})
    found = [to_numpy(x), np.load(io.BytesIO(load_artifact(x)), max_header_size=10**6)]
    same = [np.array_equal(a, b, equal_nan=b.dtype.kind in "fcM") and a.dtype == b.dtype and a.shape == b.shape for a in found]
    return {"y": [*same, found[0].flags.writeable]}`
    expect(await read(ref, same, 'import io\nimport numpy as np')).toEqual([true, true, true])
  })

  test('lies in the file as it lies in memory, with no copy for a Fortran order', async () => {
    const { data } = await there('np.asfortranarray(np.arange(6, dtype="u1").reshape(2, 3))')
    expect(Array.from(data.subarray(-6))).toEqual([0, 3, 1, 4, 2, 5])
    expect(Buffer.from(data).toString('latin1')).toContain("'fortran_order': True")
  })

  test('is published by emit and yield as well, in order, before the result', async () => {
    const source =
      'import numpy as np\ndef run():\n    emit(y=np.array([1]))\n    yield {"y": np.array([2, 2])}\n    return {"y": np.array([3, 3, 3])}\n'
    const id = shared().begin({ source, ...streamed })
    const last = outputOf(await shared().last(id)) as ArtifactRef
    const refs = [
      ...shared()
        .emitted(id)
        .map((values) => values['y']),
      last,
    ] as ArtifactRef[]
    expect(refs.map(({ size }) => size)).toEqual([136, 144, 152])
    expect(shared().frames.filter((frame) => frame.type === 'artifact' && frame.call === id)).toHaveLength(3)
  })

  test('of another port is a list as before, and so is one within a value', async () => {
    expect(await there('np.array([1, 2])', {})).toMatchObject({ ref: [1, 2] })
    const outputs = [{ port: 'y', dtype: 'array', stream: false } as const]
    expect(await there('[np.array([1, 2])]', { outputs })).toMatchObject({ ref: [[1, 2]] })
  })

  test.each([
    ['np.array([{}, None])', 'TypeError', /^return: port 'y': an array of dtype object holds references/],
    ['np.zeros(1, [("a", "i4"), ("b", "O")])', 'TypeError', /holds references to Python objects/],
    ['np.ma.array([1, 2], mask=[0, 1])', 'TypeError', /would lose its mask: send filled\(\)/],
  ])('that is %s fails with a %s', async (expression, type, message) => {
    const source = `import numpy as np\ndef run():\n    return {"y": ${expression}}\n`
    expect(failureOf(await shared().call({ source, ...artifact }))).toMatchObject({
      type,
      message: expect.stringMatching(message),
    })
  })

  test('that cannot be sent is told at its yield', async () => {
    const source =
      'import numpy as np\ndef run():\n    try:\n        yield {"y": np.array([None])}\n    except TypeError as error:\n        return {"y": np.array([len(str(error)) > 9])}\n'
    expect(outputOf(await shared().call({ source, ...streamed }))).toMatchObject({ size: 129 })
  })

  test('is stored under a name of its own, in memory only, by save_artifact', async () => {
    const source = [
      'import numpy as np\ndef run():',
      '    ref = save_artifact(np.eye(2), "eye.npy", volatile=True)',
      '    other = save_artifact(np.eye(2), media_type="application/x-weights")',
      '    assert to_numpy(ref["digest"]).tolist() == [[1, 0], [0, 1]]',
      '    return {"y": [ref, other]}\n',
    ].join('\n')
    expect(outputOf(await shared().call({ source }))).toMatchObject([
      { name: 'eye.npy', media_type: 'application/x-npy', volatile: true, size: 160 },
      { name: '', media_type: 'application/x-weights', volatile: false },
    ])
  })

  test('can be written to by who has read it, and nobody else sees that', async () => {
    const { ref } = await there('np.arange(3)')
    const lines = 'a = to_numpy(x)\n    a[0] = 7\n    return {"y": [a.tolist(), to_numpy(x).tolist()]}'
    expect(await read(ref, lines, '')).toEqual([
      [7, 1, 2],
      [0, 1, 2],
    ])
  })

  test.each([
    ['no array', 'save_artifact(b"{}")', 'it does not begin as one'],
    ['a part of one', 'save_artifact(load_artifact(save_artifact(np.arange(9)))[:99])', 'no .npy file'],
    ['less than its header says', 'save_artifact(load_artifact(save_artifact(np.arange(9)))[:-1])', 'too small'],
    ['pickled objects', 'pickled()', 'its elements are pickled'],
    ['nothing', 'save_artifact(b"")', 'it does not begin as one'],
  ])('is not read from %s', async (_, expression, message) => {
    const source = [
      'import io\nimport numpy as np\ndef pickled():\n    file = io.BytesIO()',
      '    np.save(file, np.array([{}]), allow_pickle=True)\n    return save_artifact(file.getvalue())',
      `def run():\n    to_numpy(${expression})\n`,
    ].join('\n')
    expect(failureOf(await shared().call({ source }))).toMatchObject({
      type: 'ValueError',
      message: expect.stringContaining(message),
    })
  })

  test('is read from the file where a worker has it, into memory that can be written to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'npy-'))
    const { data } = await there('np.arange(3)')
    writeFileSync(join(folder, 'y'), data)
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const at = rig({ python: numpy })
    at.stored.set('sha256:file', { path: join(folder, 'y'), size: data.byteLength } as never)
    const source = 'def run():\n    a = to_numpy("sha256:file")\n    a += 1\n    return {"y": a.tolist()}\n'
    expect(outputOf(await at.call({ source }))).toEqual([1, 2, 3])
  })

  test('numpy is imported by nobody who does not use it', async () => {
    const source =
      'import sys\ndef run():\n    emit(loss=1)\n    save_artifact(b"x")\n    return {"y": "numpy" in sys.modules}\n'
    expect(outputOf(await shared().call({ source }))).toBe(false)
  })
})

test.skipIf(python === null)(
  'without numpy, to_numpy says what is missing, and a module of that name is no harm',
  async () => {
    const without = rig({ python })
    const source =
      'import sys, types\ndef run(how):\n    if how == "false":\n        sys.modules["numpy"] = types.ModuleType("numpy")\n        return {"y": save_artifact(b"x")}\n    sys.modules["numpy"] = None\n    to_numpy(save_artifact(b""))\n'
    expect(failureOf(await without.call({ source, inputs: { how: 'none' } }))?.type).toMatch(
      /ModuleNotFoundError|ImportError/,
    )
    expect(outputOf(await without.call({ source, inputs: { how: 'false' }, ...artifact }))).toMatchObject({ size: 1 })
  },
)
