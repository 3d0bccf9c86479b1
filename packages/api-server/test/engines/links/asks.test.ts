/** What one engine asks of another, and what becomes of it. */
import { describe, expect, test } from 'vitest'

import { kinds, MAX_PAYLOAD_BYTES } from '../../../src/engines/links/frames.ts'
import { Elsewhere, NotSent, TooLong, Unanswered } from '../../../src/engines/links/links.ts'
import { ProblemError } from '../../../src/http/errors.ts'
import { bytes, type LinkedEngine, LinkedEngines, playedEngine, refusalOf, textOf } from './linked-engines.ts'

/** Has an engine never answer `never`; the signal of what it was asked first. */
function neverAnswered({ links }: LinkedEngine): Promise<AbortSignal> {
  const heard = Promise.withResolvers<AbortSignal>()
  links.answer('never', (_, { signal }) => {
    heard.resolve(signal)
    return new Promise(() => undefined)
  })
  return heard.promise
}

describe('an ask', () => {
  test('is answered by who answers its subject, over one link for both directions (links.L1)', async () => {
    const engines = new LinkedEngines()
    const [a, b] = await engines.pair()
    a.links.answer('who', (payload, { from }) => bytes(`a says ${payload.toString()} to ${from}`))
    b.links.answer('who', async (payload, { from }) => bytes(`b says ${payload.toString()} to ${from}`))
    expect(await textOf(a.links.ask('b', 'who', bytes('hello')))).toBe('b says hello to a')
    engines.addresses.clear()
    expect(await textOf(b.links.ask('a', 'who', bytes('hello')))).toBe('a says hello to b')
    expect(a.links.state()).toMatchObject([{ engine: 'b', isUp: true }])
    expect(b.links.state()).toMatchObject([{ engine: 'a', isUp: true }])
  })

  test('has its own answer, however many are under way and in whichever order they are answered', async () => {
    const [a, b] = await new LinkedEngines().pair()
    const open: (() => void)[] = []
    b.links.answer('later', (payload) => new Promise((resolve) => open.push(() => resolve(payload))))
    const asked = Array.from({ length: 500 }, (_, at) => textOf(a.links.ask('b', 'later', bytes(String(at)))))
    await expect.poll(() => open.length).toBe(500)
    for (const answer of open.toReversed()) answer()
    expect(await Promise.all(asked)).toEqual(asked.map((_, at) => String(at)))
  })

  test.each<[what: string, thrown: Error, seen: object]>([
    ['that the flow is elsewhere', new Elsewhere('c has it'), { constructor: Elsewhere, message: 'c has it' }],
    [
      'a problem with all that belongs to it',
      new ProblemError('version_conflict', 'somebody was first', { current_version: 3 }),
      { constructor: ProblemError, code: 'version_conflict', extensions: { current_version: 3 } },
    ],
  ])('is refused with %s', async (_, thrown, seen) => {
    const [a, b] = await new LinkedEngines().pair()
    b.links.answer('now', () => {
      throw thrown
    })
    b.links.answer('later', () => Promise.reject(thrown))
    for (const subject of ['now', 'later'])
      expect(await refusalOf(a.links.ask('b', subject, bytes('')))).toMatchObject(seen)
  })

  test('whose handler fails in a way that nobody expected is refused as internal, and the log of that engine tells why', async () => {
    const [a, b] = await new LinkedEngines().pair()
    b.links.answer('broken', () => Promise.reject(new TypeError('secret')))
    const refusal = await refusalOf(a.links.ask('b', 'broken', bytes('')))
    expect(refusal).toMatchObject({ code: 'internal', message: expect.not.stringContaining('secret') })
    expect(b.told).toMatchObject([{ level: 'error', fields: { err: { message: 'secret' } } }])
  })

  test('of a subject that the other version does not know was certainly not acted on (links.L3)', async () => {
    const [a] = await new LinkedEngines().pair()
    expect(await refusalOf(a.links.ask('b', 'future', bytes('')))).toBeInstanceOf(NotSent)
  })

  test('that is aborted aborts the signal of its handler, whose answer goes nowhere', async () => {
    const [a, b] = await new LinkedEngines().pair()
    const heard = Promise.withResolvers<AbortSignal>()
    const answer = Promise.withResolvers<Buffer>()
    b.links.answer('slow', (_, { signal }) => {
      heard.resolve(signal)
      return answer.promise
    })
    b.links.answer('quick', () => bytes('ok'))
    const abort = new AbortController()
    const refusal = refusalOf(a.links.ask('b', 'slow', bytes(''), { signal: abort.signal }))
    const signal = await heard.promise
    expect(signal.aborted).toBe(false)
    abort.abort(new Error('the client left'))
    expect(await refusal).toMatchObject({ message: 'the client left' })
    await expect.poll(() => signal.aborted).toBe(true)
    answer.resolve(bytes('too late'))
    expect(await textOf(a.links.ask('b', 'quick', bytes('')))).toBe('ok')
  })

  test('that is aborted before is not sent, whether there is a link or not', async () => {
    const [a, b] = await new LinkedEngines().pair()
    const seen: string[] = []
    b.links.answer('note', (payload) => {
      seen.push(payload.toString())
      return payload
    })
    const gone = AbortSignal.abort(new Error('left'))
    expect(await refusalOf(a.links.ask('b', 'note', bytes('1'), { signal: gone }))).toMatchObject({ message: 'left' })
    await a.links.reach('b')
    expect(await refusalOf(a.links.ask('b', 'note', bytes('2'), { signal: gone }))).toMatchObject({ message: 'left' })
    await a.links.ask('b', 'note', bytes('3'))
    expect(seen).toEqual(['3'])
  })

  test('that has waited long enough is unanswered, not before, and its handler hears of it (links.L3)', async () => {
    const engines = new LinkedEngines()
    const [a, b] = await engines.pair()
    const heard = neverAnswered(b)
    let refusal: unknown
    const ask = a.links.ask('b', 'never', bytes(''), { timeoutMs: 1000 }).catch((error: unknown) => (refusal = error))
    const signal = await heard
    await engines.clock.advance(999)
    expect(refusal).toBeUndefined()
    await engines.clock.advance(201)
    await ask
    expect(refusal).toBeInstanceOf(Unanswered)
    await expect.poll(() => signal.aborted).toBe(true)
  })

  test('of a whole 8 MiB goes through, and a longer one is not sent', async () => {
    const [a, b] = await new LinkedEngines().pair()
    b.links.answer('echo', (payload) => payload)
    b.links.answer('more', (payload) => Buffer.concat([payload, bytes('!')]))
    expect(await refusalOf(a.links.ask('c', 'echo', Buffer.alloc(2 * MAX_PAYLOAD_BYTES)))).toBeInstanceOf(TooLong)
    expect(await refusalOf(a.links.pipe('c', 'echo', Buffer.alloc(2 * MAX_PAYLOAD_BYTES)))).toBeInstanceOf(TooLong)
    const full = Buffer.alloc(MAX_PAYLOAD_BYTES, 7)
    expect((await a.links.ask('b', 'echo', full)).equals(full)).toBe(true)
    expect(await refusalOf(a.links.ask('b', 'echo', Buffer.alloc(MAX_PAYLOAD_BYTES + 1)))).toBeInstanceOf(TooLong)
    expect(() => a.links.send('b', 'echo', Buffer.alloc(MAX_PAYLOAD_BYTES + 1))).toThrow(TooLong)
    expect(await refusalOf(a.links.ask('b', '', bytes('')))).toBeInstanceOf(RangeError)
    expect(await refusalOf(a.links.ask('b', 'more', full))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('ask for less at once'),
    })
  })

  test('of a burst that the link has no room for is not sent, and the link with all others stays (wire.W2)', async () => {
    const [a, b] = await new LinkedEngines().pair()
    b.links.answer('size', (payload) => bytes(String(payload.length)))
    const long = Buffer.alloc(4 * 1024 * 1024)
    await a.links.reach('b')
    const asked = Array.from({ length: 40 }, () =>
      a.links.ask('b', 'size', long).then(String, (error: unknown) => error),
    )
    const outcomes = await Promise.all(asked)
    const answered = outcomes.filter((outcome) => outcome === String(long.length))
    expect(answered.length).toBeGreaterThan(0)
    expect(outcomes.filter((outcome) => outcome instanceof NotSent)).toHaveLength(40 - answered.length)
    expect(answered.length).toBeLessThan(40)
    expect(a.links.state()).toMatchObject([{ isUp: true }])
  })
})

describe('when a link breaks', () => {
  test('an ask that was sent is unanswered, and its handler hears that nobody waits (link.K2)', async () => {
    const engines = new LinkedEngines()
    const [a, b] = await engines.pair()
    const heard = neverAnswered(b)
    const refusal = refusalOf(a.links.ask('b', 'never', bytes('')))
    const signal = await heard
    await a.links.close()
    expect(await refusal).toBeInstanceOf(Unanswered)
    await expect.poll(() => signal.aborted).toBe(true)
  })

  test('an ask that the other engine has heard is unanswered when that engine dies (links.L3)', async () => {
    const engines = new LinkedEngines()
    const a = await engines.open('a')
    const origin = await playedEngine((stranger) => {
      stranger.say(kinds.hello, 0, JSON.stringify({ protocol: 1, version: '1', id: 'b', turn: 1 }))
      void stranger.hears(kinds.ask).then(() => stranger.socket.terminate())
    })
    engines.addresses.set('b', origin)
    const refusal = await refusalOf(a.links.ask('b', 'note', bytes('')))
    expect(refusal).toBeInstanceOf(Unanswered)
    expect(refusal).toMatchObject({ code: 'unavailable', extensions: { retry_after_s: 1 } })
    expect(a.links.state()).toMatchObject([{ engine: 'b', isUp: false }])
  })
})

describe('what is sent without an answer', () => {
  test('is heard in its order, among asks too, and tells whether there is a link (links.L1)', async () => {
    const [a, b] = await new LinkedEngines().pair()
    const heard: string[] = []
    b.links.hear('value', (payload, from) => void heard.push(`${from}${payload.toString()}`))
    b.links.answer('mark', (payload) => {
      heard.push(`ask${payload.toString()}`)
      return payload
    })
    expect(a.links.send('b', 'value', bytes('lost'))).toBe(false)
    await a.links.reach('b')
    for (let at = 0; at < 2000; at++) {
      expect(a.links.send('b', 'value', bytes(String(at)))).toBe(true)
      if (at === 1000) void a.links.ask('b', 'mark', bytes('!'))
    }
    await a.links.ask('b', 'mark', bytes('?'))
    const sent = Array.from({ length: 2000 }, (_, at) => `a${at}`)
    expect(heard).toEqual([...sent.slice(0, 1001), 'ask!', ...sent.slice(1001), 'ask?'])
  })

  test('is dropped when nobody hears it, and a listener that fails harms nothing (links.L4)', async () => {
    const [a, b] = await new LinkedEngines().pair()
    b.links.answer('echo', (payload) => payload)
    b.links.hear('broken', () => {
      throw new Error('broken listener')
    })
    await a.links.reach('b')
    a.links.send('b', 'unheard', bytes(''))
    a.links.send('b', 'broken', bytes(''))
    expect(await textOf(a.links.ask('b', 'echo', bytes('ok')))).toBe('ok')
    expect(b.told).toMatchObject([{ level: 'error', fields: { err: { message: 'broken listener' } } }])
  })

  test('is held by one for each subject, until that one leaves', async () => {
    const { links } = await new LinkedEngines().open('a')
    const leave = links.hear('value', () => undefined)
    expect(() => links.hear('value', () => undefined)).toThrow('"value" is taken already: give each subject to one')
    leave()
    links.hear('value', () => undefined)
    leave()
    expect(() => links.hear('value', () => undefined)).toThrow('taken already')
    for (const subject of ['', 'ä', 'a b', 'x'.repeat(65)])
      expect(() => links.answer(subject, (payload) => payload)).toThrow(RangeError)
  })
})
