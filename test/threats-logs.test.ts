import { once } from 'node:events'

import { expect, test } from 'vitest'

import { publishFlow } from './documents.ts'
import { DataDirectory } from './engine-process.ts'
import { sendRaw } from './raw-http.ts'

const SECRET = 'k3-that-no-log-may-hold'
const PASSWORD = 'pw-that-no-log-may-hold'
const hooked = {
  mode: 'live',
  nodes: [
    {
      id: 'hook',
      type: 'http',
      settings: { url: 'in', secret: SECRET },
      ports: [{ direction: 'output', name: 'v', dtype: 'int' }],
    },
  ],
}

/** Texts that forge lines, colours or fields of a log where they are written as they stand. */
const forgeries = [
  '%0d%0a{"level":60,"msg":"forged"}',
  '%1b%5b2Jforged',
  '%e2%80%a8forged',
  '%e2%80%aeforged',
  '%c2%9b31mforged',
  '%08%08%08forged',
  '%00forged',
  '%22,%22forged%22:%22',
  '%zz',
  '..%2f..%2fforged',
]

test('bad requests leave the log one JSON object a line, without secrets, tokens and forged lines [R626, R667, T53, T98]', async () => {
  using data = new DataDirectory()
  const engine = await data.start({
    SERVICE_LOG_LEVEL: 'trace',
    SERVICE_FIRST_SUPERUSER: 'admin@example.org',
    SERVICE_FIRST_SUPERUSER_PASSWORD: PASSWORD,
  })
  let log = ''
  for (const stream of [engine.child.stdout, engine.child.stderr]) stream?.on('data', (text) => (log += String(text)))
  await publishFlow(engine.client, 'hooked', hooked)
  await engine.client.http.flows.start({ name: 'hooked' })

  const authorized = `authorization: Bearer ${engine.token}`
  const json = 'content-type: application/json'
  const bodies: string[] = []
  const send = async (head: string[], body = '') => void bodies.push((await sendRaw(engine.origin, head, body)).text)
  for (const text of forgeries) {
    const agent = `user-agent: ${decodeURIComponent(text.replaceAll(/%(zz|00|0d|0a)/gi, ''))}`
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE', 'OPTIONS', 'TRACE']) {
      await send([`${method} /api/v1/flows/${text} HTTP/1.1`, authorized, json, agent], '{"mode":')
      await send([`${method} /hooks/hooked/in/${SECRET}?${text}=${text} HTTP/1.1`, json], `"${SECRET}"`)
      await send([`${method} /hooks/hooked/${text}/${SECRET} HTTP/1.1`, json], '{')
    }
    await send([`GET /api/v1/flows/?access_token=${engine.token}&${text} HTTP/1.1`])
    await send([
      `GET /api/v1/flows/ws?ticket=${engine.token}${text} HTTP/1.1`,
      'upgrade: websocket',
      'connection: upgrade',
    ])
  }
  await send(
    ['POST /api/v1/login/access-token HTTP/1.1', json],
    `{"username":"admin@example.org","password":"${PASSWORD}"`,
  )
  await send(
    ['POST /api/v1/login/access-token HTTP/1.1', 'content-type: application/x-www-form-urlencoded'],
    `username=admin%40example.org&password=${PASSWORD}x`,
  )
  const accepted = await sendRaw(engine.origin, [`POST /hooks/hooked/in/${SECRET} HTTP/1.1`, json], '7')
  expect(accepted.status).toBe(202)

  const output = once(engine.child, 'close')
  expect(await engine.end('SIGTERM')).toBe(0)
  await output
  const lines = log.split('\n').filter((line) => line !== '')
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), time: expect.any(Number) })
  for (const secret of [SECRET, PASSWORD, engine.token, 'forged"}']) expect(log).not.toContain(secret)
  expect(log).not.toMatch(/\p{Cc}(?<!\n)/u)
  expect(bodies.length).toBeGreaterThan(200)
  for (const body of bodies) {
    expect(body).not.toMatch(/\n\s+at |node_modules|\.ts:\d/)
    expect(body).not.toContain(data.path)
    expect(Number(body.split(' ')[1])).toBeLessThan(500)
  }
})
