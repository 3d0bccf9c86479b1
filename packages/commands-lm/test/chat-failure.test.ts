/** What is said of a chat model that is not to be had: refusals, redirects and connections that end. */
import { expect, test } from 'vitest'

import { call, TOKEN, useChatModel } from './chat-model.ts'
import { openChatServer } from './chat-server.ts'

const { server, failure } = useChatModel()

test.each([
  [401, {}, `answered 401: it refuses the token, or wants one; set another`],
  [403, {}, 'answered 403: it refuses the token'],
  [404, {}, 'answered 404 "it is so, ***": check its address and the name of the model'],
  [400, {}, 'answered 400 "it is so, ***": it does not take such requests'],
  [429, { 'retry-after': '20' }, 'it is asked too often; it wants to be left alone for 20 s'],
  [429, {}, 'answered 429 "it is so, ***": it is asked too often'],
  [500, {}, 'answered 500 "it is so, ***": it has failed there; look at its log'],
  [503, {}, 'answered 503'],
])('a status %i says what to do, and never a token that came back', async (status, headers, message) => {
  server().sends(status, { error: { message: `it is so, ${TOKEN}` } }, headers)
  const { name, message: said } = await failure()
  expect(name).toBe('http_status')
  expect(said).toContain(message)
  expect(said).not.toContain(TOKEN)
})

test('a token that came back is not even shown in part', async () => {
  server().sends(500, { error: { message: `${'x'.repeat(190)} ${TOKEN}` } })
  expect((await failure()).message).not.toContain(TOKEN.slice(0, 4))
  server().says(`${'x'.repeat(190)} ${TOKEN}`)
  expect((await failure()).message).not.toContain(TOKEN.slice(0, 4))
})

test('what a model says of itself is quoted in one line, however long', async () => {
  server().sends(500, { error: { message: `\n${'x'.repeat(5000)}` } })
  expect((await failure()).message).toBe(
    `the model at ${server().origin} answered 500 "\\n${'x'.repeat(199)}…": it has failed there; look at its log`,
  )
  server().sends(502, '<html>Bad Gateway</html>')
  expect((await failure()).message).toBe(
    `the model at ${server().origin} answered 502: it has failed there; look at its log`,
  )
})

test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed, and is not shown', async (status) => {
  await using other = await openChatServer()
  other.says({ calls: [call] })
  server().sends(status, '', { location: `${other.url}/chat/completions?with=${TOKEN}` })
  const { name, message } = await failure()
  expect(name).toBe('http_status')
  expect(message).toBe(
    `the model at ${server().origin} redirects elsewhere (${status}), which is not followed; set the address that it redirects to`,
  )
  expect(other.asked).toEqual([])
})

test('an answer that goes on for ever is read to a bound, and its connection is ended', async () => {
  const ended = Promise.withResolvers<void>()
  server().does((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => {
      while (!response.destroyed && response.write(' '.repeat(16_384)));
    }
    response.on('drain', more).on('close', () => ended.resolve())
    more()
  })
  const { name, message } = await failure()
  expect([name, message]).toEqual([
    'answer_too_large',
    `the model at ${server().origin} answered more than 262144 bytes`,
  ])
  await ended.promise
})

test('an answer that stops in the middle is an error', async () => {
  server().does((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.write('{"choices"', () => response.destroy())
  })
  const { name, message } = await failure()
  expect(name).toBe('unreachable')
  expect(message).toContain(`the model at ${server().origin} could not be asked: `)
})

test('nobody who listens is told apart from one who does not answer', async () => {
  const gone = await openChatServer()
  await gone[Symbol.asyncDispose]()
  const { name, message } = await failure({ url: gone.url })
  expect(name).toBe('unreachable')
  expect(message).toMatch(/^the model at http:\/\/127\.0\.0\.1:\d+ could not be asked: .*ECONNREFUSED/)
})

test('a connection that the engine refuses is told with the rule', async () => {
  const refused = new TypeError('fetch failed', { cause: new Error('10.0.0.7 is in a private network') })
  const { message } = await failure({ fetch: () => Promise.reject(refused) })
  expect(message).toBe(`the model at ${server().origin} could not be asked: 10.0.0.7 is in a private network`)
})
