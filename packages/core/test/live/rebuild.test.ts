/** Another document for a flow that runs: what goes on, what is made anew, and the way back. */
import { expect, test } from 'vitest'

import { flow, input, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { atCrash } from './kept-work.ts'
import { engine } from './live-engine.ts'
import { anySettings, reader, rebuild, watched } from './rebuilding.ts'

test('nodes that are equal go on, and only the others stop and start', async () => {
  const { told, definition } = watched()
  const own = engine([definition])
  const live = await own.start(flow([reader('a', 1), reader('b', 1), reader('gone', 1)]))
  told.splice(0)
  const next = flow([{ ...reader('a', 1), title: 'A' }, reader('b', 2), reader('new', 1)], { title: 'Another title' })
  expect(await rebuild(own, live, next)).toEqual(['b', 'new', 'gone'])
  expect(told).toEqual(['stop gone:1', 'stop b:1', 'start b:2', 'start new:1'])
  expect(live.document).toBe(next)
  own.runtime.publish('f.x', 7)
  await turn()
  expect(told.splice(4).toSorted()).toEqual(['a:1 7', 'b:2 7', 'new:1 7'])
})

test.each([
  ['title and description', { title: 'T', description: 'D' }, []],
  ['layout', { layout: { a: 1 } }, []],
  ['environment', { resources: { env: { A: '1' } } }, ['code']],
])('%s of a flow make anew: %j %j', async (_, more, expected) => {
  const code = type('code', () => ({}), { code: 'source' } as never)
  const { definition } = watched()
  const own = engine([definition, code])
  const nodes = [reader('a'), { id: 'code', type: 'code', ports: [input('x')] }]
  const live = await own.start(flow(nodes))
  expect(await rebuild(own, live, flow(nodes, more))).toEqual(expected)
})

test('all nodes are made anew on demand, and those whose secret is another', async () => {
  const secrets = { key: 'old' }
  const { definition } = watched()
  const own = engine([definition], { secrets })
  const document = flow([reader('a'), reader('b', undefined, { settings: { key: { $secret: 'key' } } }), reader('c')])
  const live = await own.start(document)
  expect(await rebuild(own, live, document)).toEqual([])
  secrets.key = 'new'
  expect(await rebuild(own, live, document)).toEqual(['b'])
  expect(await rebuild(own, live, document, { restart: true })).toEqual(['a', 'b', 'c'])
  expect(await rebuild(own, live, document, { restart: ({ id }) => id !== 'b' })).toEqual(['a', 'c'])
})

test('a new content that does not start leaves the old one, which gets what waited', async () => {
  const { told, trouble, definition } = watched()
  const own = engine([definition])
  const live = await own.start(flow([reader('a', 1), reader('b', 1)]))
  told.splice(0)
  trouble.of = 3
  let isCommitted = false
  const commit = async () => void (isCommitted = true)
  const rebuilt = rebuild(own, live, flow([reader('a', 2), reader('b', 3)]), { commit })
  own.runtime.publish('f.x', 7)
  expect(await rebuilt).toMatchObject({ name: 'StartError', node: 'b', message: 'no broker' })
  expect(told).toEqual([
    'stop b:1',
    'stop a:1',
    'start a:2',
    'start b:3',
    'stop a:2',
    'start a:1',
    'start b:1',
    'a:1 7',
    'b:1 7',
  ])
  expect([isCommitted, own.runtime.get('f'), live.document.nodes[0]?.settings]).toEqual([false, live, { form: 1 }])
})

test('what cannot even be built disturbs nothing', async () => {
  const { told, definition } = watched()
  const own = engine([definition])
  const live = await own.start(flow([reader('a', 1)]))
  const nothing = flow([{ ...reader('a', 2), type: 'nothing' }])
  expect(await rebuild(own, live, nothing)).toMatchObject({
    message: 'there is no node type "nothing"; install its package or change the type',
  })
  expect(told).toEqual(['start a:1'])
})

test('a change that is not committed leaves the old content', async () => {
  const { told, definition } = watched()
  const own = engine([definition])
  const live = await own.start(flow([reader('a', 1)]))
  told.splice(0)
  const commit = () => Promise.reject(new Error('version_conflict'))
  expect(await rebuild(own, live, flow([reader('a', 2)]), { commit })).toMatchObject({ message: 'version_conflict' })
  expect(told).toEqual(['stop a:1', 'start a:2', 'stop a:2', 'start a:1'])
})

test('where the old content does not start again either the flow stops, and keeps what waits', async () => {
  const { told, trouble, definition } = watched()
  const own = engine([definition])
  const live = await own.start(flow([reader('a', 1), reader('b')]))
  told.splice(0)
  const commit = async () => {
    trouble.of = 1
    throw new Error('version_conflict')
  }
  const rebuilt = rebuild(own, live, flow([reader('a', 2), reader('b')]), { commit })
  own.runtime.publish('f.x', 7)
  expect(await rebuilt).toMatchObject({ message: 'version_conflict' })
  expect(told).toEqual(['b 7', 'stop a:1', 'start a:2', 'stop a:2', 'start a:1', 'stop b'])
  expect(own.runtime.get('f')).toBeUndefined()
  expect(atCrash(own.host)).toMatchObject([{ node: 'a', body: { is: 'delivery', arrivals: [['x', 7]] } }])
  trouble.of = null
  await own.start(flow([reader('a', 1), reader('b')]))
  await turn()
  expect(told.slice(6)).toEqual(['start a:1', 'start b', 'a:1 7'])
})

test('an old content starts again with the secrets that it had', async () => {
  const seen: unknown[] = []
  const secrets: Record<string, string> = { key: 'old' }
  const keyed = type('keyed', ({ settings }) => {
    seen.push(settings['key'])
    if (settings['key'] === 'bad') throw new Error('refused')
    return {}
  })
  const own = engine([{ ...keyed, settings: anySettings }], { secrets })
  const document = flow([{ id: 'a', type: 'keyed', settings: { key: { $secret: 'key' } } }])
  const live = await own.start(document)
  secrets['key'] = 'bad'
  expect(await rebuild(own, live, document)).toMatchObject({ message: 'refused' })
  expect([seen, own.runtime.get('f')]).toEqual([['old', 'bad', 'old'], live])
  secrets['key'] = 'good'
  expect(await rebuild(own, live, document)).toEqual(['a'])
  expect(seen.at(-1)).toBe('good')
})

test('nodes whose type was replaced are made anew with it, and start again with the one that they had when it fails', async () => {
  const told: string[] = []
  const meter = (version: string, fails = false) => ({
    definition: type('meter', ({ node }) => {
      told.push(`start ${node} ${version}`)
      if (fails) throw new Error('no device')
      return { onValue: (_port, value) => void told.push(`${node} ${version} ${String(value)}`) }
    }),
    origin: { package: 'acme', version },
  })
  const own = engine([watched().definition])
  const replace = (...types: ReturnType<typeof meter>[]) =>
    own.registry.replace('acme', { types, absent: new Map([['meter', 'acme has it no more']]) })
  replace(meter('1'))
  const document = flow([{ id: 'a', type: 'meter', ports: [input('x')] }, reader('b')])
  const live = await own.start(document)
  expect(await rebuild(own, live, document)).toEqual([])
  replace(meter('2'))
  expect(await rebuild(own, live, document)).toEqual(['a'])
  replace(meter('3', true))
  expect(await rebuild(own, live, document)).toMatchObject({ name: 'StartError', node: 'a', message: 'no device' })
  own.runtime.publish('f.x', 7)
  await turn()
  expect(told).toEqual(['start a 1', 'start a 2', 'start a 3', 'start a 2', 'a 2 7'])
  replace()
  expect(await rebuild(own, live, document)).toMatchObject({ node: 'a', message: 'acme has it no more' })
  replace(meter('4'))
  expect(await rebuild(own, live, document)).toEqual(['a'])
  expect(told.slice(5)).toEqual(['start a 4'])
})

test('what is asked of a node that is made anew waits, of others it does not', async () => {
  const { definition } = watched({ start: 5 })
  const own = engine([definition])
  const starting = own.start(flow([reader('a', 1), reader('b', 1)]))
  await own.host.advance(10_000)
  const live = await starting
  const rebuilt = live.rebuild(flow([reader('a', 2), reader('b', 1)]))
  const order: string[] = []
  void live.ready('a').then(() => order.push('a'))
  void live.ready('b').then(() => order.push('b'))
  await own.host.advance(4000)
  expect(order).toEqual(['b'])
  await own.host.advance(1000)
  await rebuilt
  await turn()
  expect(order).toEqual(['b', 'a'])
})

test('an engine that ends during a rebuild ends it first', async () => {
  const { told, definition } = watched({ start: 5 })
  const own = engine([definition])
  const starting = own.start(flow([reader('a', 1)]))
  await own.host.advance(5000)
  const live = await starting
  const rebuilt = live.rebuild(flow([reader('a', 2)]))
  const closed = own.runtime.close()
  own.runtime.publish('f.x', 7)
  await own.host.advance(5000)
  await Promise.all([rebuilt, closed])
  expect(told).toEqual(['start a:1', 'stop a:1', 'start a:2', 'a:2 7', 'stop a:2'])
  expect(own.runtime.get('f')).toBeUndefined()
})

test.each([
  ['the initial one', 'none', 'none'],
  ['none', null, null],
])(
  'a value off the changed dtype of its message makes way for %s, at a node that goes on too',
  async (_, initial, level) => {
    const { calls, definition } = recorder('end', 'combine')
    const own = engine([definition])
    const document = (declared: { dtype: 'float' | 'str'; initial: unknown }) =>
      flow(
        ['kept', 'made'].map((id) => ({
          id,
          type: 'end',
          timeout: id === 'made' ? declared.dtype.length : null,
          ports: [input('go'), input('level', { trigger: false })],
        })),
        { inputs: [{ name: 'level', ...declared }] as never },
      )
    const live = await own.start(document({ dtype: 'float', initial: 1 }))
    own.runtime.publish('f.level', 7)
    await live.idle()
    const values = new Map([['f.level', 7]])
    expect(await rebuild(own, live, document({ dtype: 'float', initial: 2 }), { values })).toEqual([])
    expect(await rebuild(own, live, document({ dtype: 'str', initial }), { values })).toEqual(['made'])
    own.runtime.publish('f.go', 1)
    await live.idle()
    expect(calls).toEqual(['kept', 'made'].map((node) => [node, { go: 1, level }]))
  },
)
