import { expect, test } from 'vitest'

import { uploadsEndpoints, uploadsHandlers } from '../../src/artifacts/upload-routes.ts'
import { noUploads } from '../../src/artifacts/uploads.ts'
import { bind } from '../../src/http/mount.ts'
import { serve } from '../http/server.ts'
import { digestOf } from './stores.ts'

test('an engine that keeps artifacts in a folder sends clients to the endpoint that takes their bytes', async () => {
  await using server = await serve(bind(uploadsEndpoints, uploadsHandlers({ uploads: noUploads })))
  const post = async (path: string, body?: object) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const answer = await fetch(`${server.url}/artifacts/uploads${path}`, {
      ...init,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return [answer.status, await answer.json()]
  }
  const refusal = [400, { code: 'bad_request', detail: expect.stringContaining('PUT /artifacts') }]
  expect(await post('', { digest: digestOf(Buffer.from('x')), size: 1 })).toMatchObject(refusal)
  expect(await post('/01900000-0000-7000-8000-0000000000aa/complete')).toMatchObject(refusal)
  expect(await post('', { digest: 'x', size: -1 })).toMatchObject([422, { code: 'validation_failed' }])
})
