/** What a chat model answers: calls that become readings, and what is refused as a whole. */
import { commandCalls } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { ChatFailure, MAX_CHAT_CONFIDENCE } from '../src/chat.ts'
import { call, reading, useChatModel } from './chat-model.ts'

const { server, interpret, failure } = useChatModel()

test.each([
  ['what a model is sure of is capped', { confidence: 1 }, { confidence: MAX_CHAT_CONFIDENCE }],
  ['what it doubts stays doubtful', { confidence: 0.2 }, { confidence: 0.2 }],
  ['whole minutes are kept', { delay_s: 120, confidence: 1 }, { delay_s: 120, confidence: MAX_CHAT_CONFIDENCE }],
  ['other delays are rounded up, and are doubtful', { delay_s: 90, confidence: 1 }, { delay_s: 120, confidence: 0.9 }],
  ['a part of a second is a minute', { delay_s: 0.5, confidence: 1 }, { delay_s: 60, confidence: 0.9 }],
  ['more than a day cannot be done', { delay_s: 86_401 }, { delay_s: 86_400, confidence: 0 }],
  ['a temperature is for heating_set alone', { temperature: 20 }, { args: {} }],
  [
    'a temperature is taken',
    { call: 'heating_set', temperature: 21.5 },
    { call: 'heating_set', kind: 'heating', args: { temperature: 21.5 } },
  ],
  [
    'one that is too warm cannot be done',
    { call: 'heating_set', temperature: 30.5 },
    { call: 'heating_set', kind: 'heating', args: { temperature: 30 }, confidence: 0 },
  ],
  [
    'nor one that is too cold',
    { call: 'heating_set', temperature: -40 },
    { call: 'heating_set', kind: 'heating', args: { temperature: 5 }, confidence: 0 },
  ],
  ['a kind that fits is no harm', { kind: 'light' }, {}],
])('%s', async (_, said, read) => {
  server().says({ calls: [{ ...call, ...said }] })
  expect(await interpret()).toEqual([{ ...reading, ...read }])
})

test('JSON may stand in a code fence', async () => {
  const json = JSON.stringify({ calls: [call] })
  for (const fenced of ['```json\n' + json + '\n```', '\n```\n' + json + '\n```\n']) {
    server().says(fenced)
    expect(await interpret()).toEqual([reading])
  }
})

test('a call that is said twice is one, as doubtful as the more doubtful', async () => {
  server().says({ calls: [call, { ...call, area: 'office' }, { ...call, confidence: 0.5 }] })
  expect(await interpret()).toEqual([
    { ...reading, confidence: 0.5 },
    { ...reading, area: 'office' },
  ])
})

test('calls of one device that contradict each other count nothing, at another time they do', async () => {
  const on = { ...call, call: 'lights_on' }
  server().says({ calls: [call, on, { ...on, delay_s: 600 }] })
  expect(await interpret()).toEqual([
    { ...reading, confidence: 0 },
    { ...reading, call: 'lights_on', confidence: 0 },
    { ...reading, call: 'lights_on', delay_s: 600 },
  ])
})

test.each([
  ['no JSON', 'Sure! I turn it off.', 'answered no JSON but "Sure! I turn it off."'],
  ['a fence around nothing', '```', 'answered no JSON but "```"'],
  ['half an answer', '{"calls": [', 'answered no JSON'],
  ['no calls', { call: 'lights_off' }, 'answered nothing at "answer.calls"'],
  ['a list', [call], '"delay_s":0,"confidence":0.9}] at "answer"'],
  ['an unknown area', { calls: [{ ...call, area: 'cellar' }] }, 'answered "cellar" at "answer.calls.0.area"'],
  ['an unknown call', { calls: [call, { ...call, call: 'open' }] }, 'at "answer.calls.1.call"'],
  [
    'another kind of device',
    { calls: [{ ...call, kind: 'heating' }] },
    'answered lights_off for a device of kind "heating": it is one of light',
  ],
  [
    'heating to nothing',
    { calls: [call, { ...call, call: 'heating_set', area: 'bedroom' }] },
    'answered heating_set without a temperature',
  ],
  ['no delay', { calls: [{ ...call, delay_s: undefined }] }, 'answered nothing at "answer.calls.0.delay_s"'],
  ['a delay before now', { calls: [{ ...call, delay_s: -60 }] }, 'answered -60 at "answer.calls.0.delay_s"'],
  ['percent', { calls: [{ ...call, confidence: 95 }] }, 'answered 95 at "answer.calls.0.confidence"'],
  ['no confidence', { calls: [{ ...call, confidence: null }] }, 'answered null at "answer.calls.0.confidence"'],
  ['more calls than a house has', { calls: Array(101).fill(call) }, 'at "answer.calls": Too big'],
  ['keys of all objects', '{"__proto__": {"calls": []}}', 'answered nothing at "answer.calls"'],
])('%s is an error that shows it', async (_, said, message) => {
  server().says(said)
  const error = await failure()
  expect(error.name).toBe('bad_answer')
  expect(error.message).toContain(
    `the model at ${server().origin} ${message.startsWith('answered') ? message : 'answered'}`,
  )
  expect(error.message).toContain(message)
  expect(error.message.length).toBeLessThan(600)
})

test.each([
  ['cut off', { finish_reason: 'length' }, 'was cut off before its answer was complete'],
  ['filtered', { finish_reason: 'content_filter' }, 'is kept from answering by the filter of its server'],
  ['a refusal', { message: { content: null, refusal: 'I cannot help.' } }, 'refuses to answer: "I cannot help."'],
  ['without a text', { message: { content: null, tool_calls: [] } }, 'answered without a text'],
  ['empty', { message: { content: '' } }, 'answered without a text'],
  ['without a message', { message: undefined }, 'answered no choice of the chat API but'],
])('a choice that is %s is an error', async (_, choice, message) => {
  server().says({ calls: [call] }, choice)
  const { name, message: said } = await failure()
  expect(name).toBe('bad_answer')
  expect(said).toContain(message)
})

test.each([
  ['no choices', '{"choices": []}', 'answered no choice of the chat API but "{\\"choices\\": []}"; check its address'],
  ['a page', '<html>welcome</html>', 'answered no choice of the chat API but "<html>welcome</html>"'],
  ['nothing', '', 'answered no choice of the chat API but ""'],
  ['an error as a success', '{"error": {"message": "overloaded", "code": 502}}', 'has failed with "overloaded"'],
  ['a word', '{"error": "no such model"}', 'has failed with "no such model"'],
])('%s is an error', async (_, body, message) => {
  server().sends(200, body)
  const { name, message: said } = await failure()
  expect(name).toBe('bad_answer')
  expect(said).toContain(message)
})

test('whatever is answered is a failure, or readings that a node takes', async () => {
  const fields = {
    call: ['lights_off', 'heating_set', 'toString', null],
    area: ['kitchen', '__proto__', 7],
    kind: [undefined, 'light', {}],
    temperature: [undefined, null, 21.5, 1e308, -1e308, '20'],
    delay_s: [0, 60, 1e-9, 86_400, 86_400.5, 1e308, -1, null],
    confidence: [0, 0.93, 1, 1.01, -0.01, true],
  }
  const answers = Object.entries(fields).reduce<object[]>(
    (made, [name, values]) => made.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{}],
  )
  const counts = { failures: 0, readings: 0 }
  for (const answer of answers) {
    const content = JSON.stringify({ calls: [answer] })
    const body = JSON.stringify({ choices: [{ message: { content } }] })
    const readings = await Promise.resolve(interpret('x', { fetch: async () => new Response(body) })).catch(
      (error: unknown) => {
        expect(error).toBeInstanceOf(ChatFailure)
        return null
      },
    )
    counts[readings === null ? 'failures' : 'readings'] += 1
    for (const { call: name, kind, args, delay_s: delay, confidence } of readings ?? []) {
      expect(kind).toBe(commandCalls[name])
      expect(Object.keys(args)).toEqual(name === 'heating_set' ? ['temperature'] : [])
      if (args.temperature !== undefined) expect(Math.abs(args.temperature - 17.5)).toBeLessThanOrEqual(12.5)
      expect([delay % 60, delay >= 0 && delay <= 86_400]).toEqual([0, true])
      expect(confidence >= 0 && confidence <= MAX_CHAT_CONFIDENCE).toBe(true)
    }
  }
  // a light takes any temperature and heating_set a number, for which a light is the wrong kind
  expect(counts.readings).toBe((2 * 5 + 3) * 5 * 3)
  expect(counts.failures).toBe(answers.length - counts.readings)
})
