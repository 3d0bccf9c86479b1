import {
  type BatchFlow,
  batchFlow,
  FlowError,
  input,
  latest,
  liveFlow,
  node,
  nodeType,
  python,
  type Ref,
  secret,
  stage,
  stream,
  t,
  type Use,
} from '@flow-service/flow-sdk'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

const clean = python('clean', {
  file: './clean.py',
  in: { raw: t.artifact },
  out: { rows: t.artifact, kept: t.int },
  settings: z.object({ limit: z.number().default(5), token: z.string() }),
})
const train = stage('train', {
  in: { rows: t.artifact, lr: t.float, seed: t.int },
  out: { loss: stream(t.float, { interval: 0.5 }), error: t.float },
  settings: z.object({ hidden: z.int().default(64) }),
  worker: 'gpu',
  workerPolicy: 'prefer',
  timeout: 120,
  retry: { attempts: 4, delay: 2, maxDelay: 60 },
  *run({ lr, hidden }) {
    yield { loss: lr }
    return { error: lr * hidden }
  },
})
const fitInputs = { raw: t.artifact, lr: input(t.float, 0.1), seed: input(t.int, 0) }
const fit = batchFlow(
  'fit',
  fitInputs,
  (p, use) => {
    const { rows } = use(clean, { raw: p.raw }, { settings: { token: secret('store') } })
    const { error } = use(
      train,
      { rows, lr: p.lr, seed: p.seed },
      { settings: { hidden: 128 }, worker: 'lab', cache: false },
    )
    return { quality: error, rows }
  },
  { title: 'Fit', resources: { gpus: 1 }, concurrency: 2 },
)

const decide = node('decide', {
  in: { temp: t.float, mode: latest(t.str, 'auto') },
  out: { fan: t.bool, alarm: t.str },
  run: ({ temp }) => ({ fan: temp > 28 }),
})

const thrown = (build: () => unknown): string => {
  try {
    build()
  } catch (error) {
    expect(error).toBeInstanceOf(FlowError)
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}
const inBatch = (graph: Parameters<typeof batchFlow>[2]): string =>
  thrown(() => batchFlow('f', { x: t.float, s: t.str, n: t.int }, graph as never))

describe('a batch flow', () => {
  test('becomes a document that the protocol accepts, in snake_case and without entries', () => {
    const document = normalizeDocument('fit', flowDocumentInputSchema.parse(fit.document))
    expect(document).toMatchObject({
      name: 'fit',
      title: 'Fit',
      mode: 'batch',
      resources: { gpus: 1 },
      concurrency: 2,
      inputs: [
        { name: 'raw', dtype: 'artifact', initial: null },
        { name: 'lr', dtype: 'float', initial: 0.1 },
        { name: 'seed', dtype: 'int', initial: 0 },
      ],
      outputs: [
        { name: 'error', port: 'quality' },
        { name: 'rows', port: 'rows' },
      ],
    })
    const [, trained] = document.nodes
    expect(trained).toMatchObject({
      id: 'train',
      type: 'code',
      settings: { hidden: 128 },
      source: null,
      entry: null,
      worker: 'lab',
      worker_policy: 'prefer',
      timeout: 120,
      cache: false,
      retry: { attempts: 4, delay_s: 2, factor: 2, max_delay_s: 60 },
    })
    expect(
      trained?.ports.map(({ port, message, stream: streams, interval }) => [port, message, streams, interval]),
    ).toEqual([
      ['rows', 'fit.rows', false, null],
      ['lr', 'fit.lr', false, null],
      ['seed', 'fit.seed', false, null],
      ['loss', 'fit.loss', true, 0.5],
      ['error', 'fit.error', false, null],
    ])
  })

  test('puts defaults of Python settings into the document, since no Python code knows the schema', () => {
    expect(fit.document.nodes?.[0]?.settings).toEqual({ limit: 5, token: { $secret: 'store' } })
  })

  test('keeps its definitions by node id', () => {
    expect([...fit.definitions.keys()]).toEqual(['clean', 'train'])
    expect(fit.definitions.get('train')).toBe(train)
    expect(fit.definitions.get('clean')).toMatchObject({ kind: 'python', file: './clean.py' })
  })

  test('refuses an id that is taken, naming the remedy', () => {
    const build = () =>
      batchFlow('f', { x: t.float }, (p, use) => {
        const one = stage('one', { in: { x: t.float }, out: { y: t.float }, run: ({ x }) => ({ y: x }) })
        use(one, { x: p.x })
        use(one, { x: p.x }, { out: { y: 'other' } })
        return {}
      })
    expect(thrown(build)).toBe('flow "f": two nodes have the id "one"; give one of them another with { id: "…" }')
  })

  test('refuses a second producer of a message, naming both and the remedy', () => {
    const one = stage('one', { in: { x: t.float }, out: { y: t.float }, run: ({ x }) => ({ y: x }) })
    const text = inBatch((p, use) => {
      use(one, { x: p.x as Ref<number> & { dtype: 'float' } })
      use(one, { x: p.x as Ref<number> & { dtype: 'float' } }, { id: 'two' })
      return {}
    })
    expect(text).toBe(
      'flow "f": node "two", output "y" and node "one", output "y" both publish message "f.y"; rename one with { out: { y: "other_name" } }',
    )
    const clash = inBatch((p, use) => ({
      r: use(one, { x: p.x as Ref<number> & { dtype: 'float' } }, { out: { y: 'x' } }).y,
    }))
    expect(clash).toContain('the flow input "x" both publish message "f.x"')
  })

  test.each([
    ['an unwired input', {}, 'node "one", input "x" is not wired; give it a message: use(…, { x: … })'],
    ['another dtype', { x: { message: 'f.s', dtype: 'str' } }, 'takes float, but message "f.s" carries str'],
    [
      'an unknown message',
      { x: { message: 'f.zz', dtype: 'float' } },
      'the flow has no message "zz"; it has "x", "s", "n"',
    ],
  ])('refuses %s at build time too', (_, wires, expected) => {
    const one = stage('one', { in: { x: t.float }, out: { y: t.float }, run: ({ x }) => ({ y: x }) })
    const text = inBatch((_p, use) => {
      use(one, wires as never)
      return {}
    })
    expect(text).toContain(expected)
  })

  test('takes an int where a float is wanted, and messages of other flows by Ref', () => {
    const one = stage('one', { in: { x: t.float, far: t.float }, out: { y: t.float }, run: ({ x }) => ({ y: x }) })
    const far = liveFlow('climate', { temp: t.float }, () => {}).messages.temp
    const flow = batchFlow('f', { n: t.int }, (p, use) => ({ y: use(one, { x: p.n, far }).y }))
    expect(flow.document.nodes?.[0]?.ports?.slice(0, 2)).toEqual([
      { direction: 'input', port: 'x', name: 'n', dtype: 'float', trigger: true },
      { direction: 'input', port: 'far', name: 'climate.temp', dtype: 'float', trigger: true },
    ])
  })

  test('refuses initial values, names and results that do not fit', () => {
    expect(thrown(() => batchFlow('f', { n: input(t.int, 1.5) }, () => ({})))).toContain(
      'input "n" is int, but its initial value is 1.5',
    )
    expect(thrown(() => batchFlow('ws', {}, () => ({})))).toContain('"ws" is a reserved name')
    expect(thrown(() => batchFlow('f', { 'a-b': t.int }, () => ({})))).toContain('"a-b" is no message name')
    const foreign = liveFlow('climate', { temp: t.float }, () => {}).messages.temp
    expect(thrown(() => batchFlow('f', {}, () => ({ temp: foreign })))).toContain('is a message of another flow')
  })

  test('names the node of a value that the document cannot hold', () => {
    const text = thrown(() =>
      batchFlow('f', {}, (_, use) => {
        use(nodeType('acme', { settings: { at: new Date(0) } }), {}, { id: 'meter' })
        return {}
      }),
    )
    expect(text).toContain('flow "f": node "meter", settings.at')
  })

  test('takes stages, not live functions whose outputs may be missing', () => {
    const text = inBatch((p, use) => ({ fan: (use as Use)(decide, { temp: p.x, mode: p.s } as never).fan }))
    expect(text).toContain('node "decide" is a live function')
  })

  test('sends infinite initial values by name', () => {
    const flow: BatchFlow<unknown, unknown> = batchFlow('f', { x: input(t.float, Infinity) }, () => ({}))
    expect(flow.document.inputs).toEqual([{ name: 'x', dtype: 'float', initial: 'Infinity' }])
  })
})

describe('a live flow', () => {
  test('turns messages that nothing produces into inputs, and names producers by the others', () => {
    const flow = liveFlow(
      'greenhouse',
      { temp: t.float, mode: input(t.str, 'auto'), fan: t.bool, count: input(t.int, 0) },
      (m, use) => {
        use(decide, { temp: m.temp, mode: m.mode }, { out: { fan: m.fan } })
        const step = node('step', { in: { n: t.int }, out: { next: t.int }, run: ({ n }) => ({ next: n + 1 }) })
        use(step, { n: m.count }, { out: { next: m.count } })
      },
    )
    expect(flow.document).toMatchObject({
      mode: 'live',
      inputs: [
        { name: 'temp', dtype: 'float' },
        { name: 'mode', dtype: 'str', initial: 'auto' },
        { name: 'count', dtype: 'int', initial: 0 },
      ],
      outputs: [{ name: 'fan' }, { name: 'count' }],
    })
    expect(flow.document.nodes?.[0]?.ports).toEqual([
      { direction: 'input', port: 'temp', name: 'temp', dtype: 'float', trigger: true },
      { direction: 'input', port: 'mode', name: 'mode', dtype: 'str', trigger: false },
      { direction: 'output', port: 'fan', name: 'fan', dtype: 'bool' },
      { direction: 'output', port: 'alarm', name: 'alarm', dtype: 'str' },
    ])
    expect(flow.definitions.get('decide')?.initials).toEqual({ mode: 'auto' })
    expect(flow.messages.fan).toEqual({ message: 'greenhouse.fan', dtype: 'bool' })
  })

  test('lets several nodes publish one message when each names it by Ref, and not otherwise', () => {
    const tick = nodeType('inject', { out: { tick: t.bool } })
    const flow = liveFlow('f', { tick: t.bool }, (m, use) => {
      use(tick, {}, { id: 'a', out: { tick: m.tick } })
      use(tick, {}, { id: 'b', out: { tick: m.tick } })
    })
    expect(flow.document.nodes?.map((n) => n.ports?.[0]?.name)).toEqual(['tick', 'tick'])
    const careless = () =>
      liveFlow('f', {}, (_, use) => {
        use(tick, {}, { id: 'a' })
        use(tick, {}, { id: 'b' })
      })
    expect(thrown(careless)).toContain('both publish message "f.tick"')
  })

  test('refuses to map an output to a message of another dtype', () => {
    const build = () =>
      liveFlow('f', { fan: t.float, temp: t.float }, (m, use) => {
        use(decide, { temp: m.temp, mode: m.fan as never }, { out: {} })
      })
    expect(thrown(build)).toContain('node "decide", input "mode" takes str')
    const target = () =>
      liveFlow('f', { fan: t.float }, (m, use) => {
        use(nodeType('inject', { out: { on: t.bool } }), {}, { out: { on: m.fan as never } })
      })
    expect(thrown(target)).toContain('node "inject", output "on" gives bool, but message "f.fan" carries float')
  })
})

describe('a definition', () => {
  test('refuses ids, ports and settings that cannot stand in a document', () => {
    const run = () => {}
    expect(thrown(() => stage('a.b', { in: {}, out: {}, run }))).toContain('stage "a.b": the id is not valid')
    expect(thrown(() => node('a', { in: { 'x-y': t.int }, out: {}, run }))).toContain('port "x-y" is not valid')
    const twice = () => stage('a', { in: { lr: t.float }, out: {}, settings: z.object({ lr: z.number() }), run })
    expect(thrown(twice)).toBe('stage "a": "lr" is an input and a setting; rename one')
  })

  test('takes an interval on streams only, in seconds', () => {
    const careless = { ...t.float, interval: 1 }
    expect(thrown(() => node('a', { in: {}, out: { x: careless }, run: () => {} }))).toBe(
      'node "a": output "x" has an interval but is no stream; use stream(type, { interval })',
    )
    const negative = stream(t.float, { interval: -1 })
    expect(thrown(() => node('a', { in: {}, out: { x: negative }, run: () => {} }))).toContain('is -1')
  })

  test('checks what arrives on a json input before the code runs', () => {
    const part = z.object({ serial: z.string() })
    const show = node('show', {
      in: { part: t.json(part) },
      out: { serial: t.str },
      run: (a) => ({ serial: a.part.serial }),
    })
    const ctx = {} as Parameters<typeof show.run>[1]
    expect(show.run({ part: { serial: 'a1' } }, ctx)).toEqual({ serial: 'a1' })
    expect(() => show.run({ part: { serial: 7 } as never }, ctx)).toThrow('input "part" of "show" is not of its shape')
  })

  test('stores json ports as object, array or any', () => {
    const dtypes = [
      t.json(z.object({})).dtype,
      t.json(z.record(z.string(), z.number())).dtype,
      t.json(z.array(z.string())).dtype,
      t.json(z.tuple([z.number()])).dtype,
      t.json(z.string()).dtype,
      t.json(z.object({}).meta({ id: 'Named' })).dtype,
      t.json(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])).dtype,
      t.json(z.union([z.object({}), z.string()])).dtype,
    ]
    expect(dtypes).toEqual(['object', 'object', 'array', 'array', 'any', 'object', 'object', 'any'])
  })
})
