/** An engine on a machine without Python. */
import { dirname } from 'node:path'

import { expect, test } from 'vitest'

import { DataDirectory } from './engine-process.ts'

test('where there is no Python, lines of it are refused, and the refusal says what to install [T85]', async () => {
  using directory = new DataDirectory()
  // nor are interpreters of version managers looked for
  const env = { SERVICE_PYTHON: '', PATH: dirname(process.execPath), HOME: directory.path, PYENV_ROOT: '' }
  const engine = await directory.start(env)
  const { client } = engine
  const { environment, packages } = await client.modules.get()
  expect([environment, packages]).toEqual([{ kind: 'none', python: null, path: null }, []])
  const refused = client.modules.apply({ requirements: '# none\nnumpy' })
  await expect(refused).rejects.toMatchObject({
    status: 422,
    problem: { errors: [{ path: '/requirements/1', code: 'bad_requirement' }] },
    message: expect.stringContaining('the engine has found no Python >= 3.11'),
  })
  expect((await client.modules.apply({ requirements: '# none' })).state).not.toBe('failed')
  await engine.end('SIGTERM')
})
