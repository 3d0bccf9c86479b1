/**
 * The value of a secret, printed, emitted, published, raised and passed on by nodes in every encoding, and then looked
 * for in all that an engine shows, keeps for showing, logs, or starts processes with.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { readDatabase } from '../packages/api-server/test/backend.ts'
import { pythonNode, publishFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'

const canary = 'Kan"arie\\nvögel? +&/=1'
const hook = 'hook word/1+2 of many'
const needles = [canary, hook].flatMap((value) => {
  const escaped = JSON.stringify(value).slice(1, -1)
  const ascii = escaped.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const base64 = ['', 'a', 'ab'].map((before) => {
    const text = Buffer.from(before + value).toString('base64')
    return text.slice(4, -4)
  })
  return [value, escaped, ascii, JSON.stringify(escaped).slice(1, -1), encodeURIComponent(value), ...base64]
})
/** Which of the forms a text holds. */
const found = (text: string): string[] => needles.filter((needle) => text.includes(needle))

const leaks = `import base64, json, os, sys, urllib.parse
def forms(token):
    raw = token.encode()
    encoded = [base64.b64encode(before + raw).decode() for before in (b"", b"a", b"ab")]
    return [token, json.dumps(token), urllib.parse.quote(token, safe=""), *encoded]
def leak(token):
    for stream in (sys.stdout, sys.stderr):
        for form in forms(token):
            for part in (form[:5], form[5:]):
                stream.write(part)
                stream.flush()
            stream.write("\\n")
    return forms(token)
def shown_processes(token):
    lines = b""
    for pid in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if pid.isdigit():
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    lines += file.read()
            except OSError:
                pass
    return any(form.encode() in lines for form in forms(token))
`
const settings = { token: { $secret: 'canary' } }
/** A node that gets what `work` gives. */
const reader = (id: string, type: string, settings: object) => ({
  id,
  type,
  settings,
  ports: [
    { direction: 'input', name: 'out' },
    { direction: 'output', name: `after_${id}` },
  ],
})

/** A web hook -> the leaking node -> a delay that still holds it when the flow stops. */
const live = {
  mode: 'live',
  nodes: [
    {
      id: 'hook',
      type: 'http',
      settings: { url: 'in', secret: { $secret: 'hook' } },
      ports: [{ direction: 'output', name: 'n', dtype: 'int' }],
    },
    pythonNode(
      'work',
      `${leaks}def run(n, token):\n    told = leak(token)\n    if n < 0:\n        raise ValueError(told)\n    return {"out": {"told": told, token: shown_processes(token)}}\n`,
      { settings },
    ),
    reader('hold', 'delay', { delay: 1000 }),
    // refuses what it gets, and says so
    reader('refuse', 'change', { scale: 1 }),
  ],
}
const batch = {
  mode: 'batch',
  inputs: [{ name: 'n', dtype: 'int', initial: 1 }],
  outputs: [{ name: 'out' }],
  nodes: [
    {
      ...pythonNode(
        'work',
        `${leaks}def run(n, token):\n    told = leak(token)\n    emit(step={"told": told})\n    if n < 0:\n        raise ValueError(told)\n    return {"out": {"told": told, "shown": shown_processes(token)}}\n`,
        { settings },
      ),
      ports: [
        { direction: 'input', name: 'n', dtype: 'int' },
        { direction: 'output', name: 'out', dtype: 'any' },
        { direction: 'output', name: 'step', dtype: 'any', stream: true },
      ],
    },
  ],
}

describe('no value of a secret is shown [T80] [T104] [R150]', () => {
  const data = new DataDirectory()
  const output: string[] = []
  const frames: string[] = []
  let at: EngineProcess
  let runs: string[]
  beforeAll(async () => {
    at = await data.start({ SERVICE_LOG_LEVEL: 'debug' })
    for (const stream of [at.child.stdout, at.child.stderr]) stream?.on('data', (text: string) => output.push(text))
    await at.client.http.secrets.set({ name: 'canary', value: canary })
    await at.client.http.secrets.set({ name: 'hook', value: hook })
    await publishFlow(at.client, 'live', live)
    await publishFlow(at.client, 'batch', batch)
    const { ticket } = await at.client.flows.wsTicket()
    const socket = new WebSocket(
      `${at.baseUrl.replace('http', 'ws')}/flows/ws?ticket=${ticket}&kinds=node,value,health,run,flow,log`,
    )
    socket.addEventListener('message', ({ data: frame }) => frames.push(String(frame)))
    await new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }))
    await at.client.http.flows.start({ name: 'live' })
    for (const n of [1, -1]) {
      const { status } = await post(n)
      if (status !== 202) throw new Error(`the webhook answered ${status}`)
    }
    const submit = (n: number) => at.client.http.runs.submit({ name: 'batch', params: { n } as never })
    runs = await Promise.all([1, -1].map(async (n) => (await submit(n)).id))
    await Promise.all(runs.map((id) => at.client.wait(id)))
    await vi.waitUntil(() => frames.join('').includes('ValueError') && frames.join('').includes('live.out'), {
      timeout: 60_000,
    })
  })
  afterAll(async () => {
    await at?.end('SIGTERM')
    data[Symbol.dispose]()
  })

  const post = (body: unknown, word = hook): Promise<Response> =>
    fetch(`${at.origin}/hooks/live/in/${encodeURIComponent(word)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const read = async (path: string, method = 'GET', body?: object): Promise<string> => {
    const answer = await fetch(path.startsWith('http') ? path : `${at.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return answer.text()
  }
  const hasMask = (text: string): boolean => text.includes('***')

  test.each([
    ['a flow and the states of its nodes', '/flows/live', true],
    ['the list of flows', '/flows/', false],
    ['the source of a node', '/flows/live/nodes/work/source', false],
    ['what a live node has printed', '/flows/live/nodes/work/logs', true],
    ['the last values', '/messages/', true],
    ['a history', '/messages/live.out/history', true],
    ['the list of runs', '/runs', true],
    ['the overview of runs', '/runs/overview', true],
    ['an export of runs', '/runs/export/runs?format=csv', false],
    ['an export of metrics', '/runs/export/metrics?format=csv', false],
    ['cascades', '/observability/runs', true],
    ['events', '/observability/events', false],
    ['the audit trail', '/observability/events?kind=audit', false],
    ['figures of flows', '/observability/flows', false],
    ['the summary', '/observability/summary', false],
    ['the graph', '/flows/graph', false],
    ['a check of a flow', '/flows/live/validate', false],
    ['names of curves', '/runs/metrics/names?flow=batch', false],
    ['secrets', '/secrets/usage', false],
  ])('in %s', async (_where, path, isMasked) => {
    const text = await read(path, path.endsWith('/validate') ? 'POST' : 'GET')
    expect(text).toMatch(/^[[{]|,/)
    expect(found(text)).toEqual([])
    expect(hasMask(text)).toBe(isMasked)
  })

  test('in records of runs: outputs, result, error, traceback and log, and no process shows one in its arguments', async () => {
    const [ok, failed] = await Promise.all(runs.map((id) => read(`/runs/${id}`)))
    const outputs = await read(`/runs/${runs[0]}/nodes/work/outputs`)
    expect([ok, failed].map((text) => (JSON.parse(text ?? '') as { status: string }).status)).toEqual(['ok', 'error'])
    const logs = await read(`/runs/${runs[0]}/nodes/work/logs`)
    for (const text of [ok, failed, logs]) expect([found(text ?? ''), hasMask(text ?? '')]).toEqual([[], true])
    expect(found(outputs)).toEqual([])
    expect(JSON.parse(ok ?? '')).toMatchObject({
      result: {
        out: { told: ['***', '"***"', '***', expect.anything(), expect.anything(), expect.anything()], shown: false },
      },
    })
    const [node] = (JSON.parse(failed ?? '') as { nodes: { traceback: string; logs: string }[] }).nodes
    expect(node?.traceback).toContain('***')
    expect(node?.logs.split('\n').slice(0, 3)).toEqual(['***', '"***"', '***'])
  })

  test('in curves and plans of runs, and the metrics of the engine', async () => {
    const plan = await read('/runs/flows/batch/plan', 'POST', {})
    const curves = await Promise.all(runs.map((id) => read(`/runs/${id}/metrics`)))
    const scraped = await read(`${at.origin}/metrics`)
    expect([plan, ...curves].map((text) => text.slice(0, 1))).toEqual(['{', '[', '['])
    expect(scraped).toContain('# TYPE')
    expect(found([plan, ...curves, scraped].join('\n'))).toEqual([])
  })

  test('in answers of a webhook, and in refusals of requests that hold it', async () => {
    const refusals = await Promise.all([
      post(1, `${hook}x`),
      post({ n: 'no number' }),
      fetch(`${at.baseUrl}/secrets/canary`, { headers: { authorization: `Bearer ${at.token}` } }),
    ])
    expect(refusals.map(({ status }) => status)).toEqual([404, 422, 405])
    const accepted = await post(1)
    const texts = await Promise.all([...refusals, accepted].map((answer) => answer.text()))
    const tooMuch = await read('/secrets/canary', 'PUT', { value: canary, more: 1 })
    const wrong = await read('/secrets/%20', 'PUT', { value: canary })
    for (const text of [...texts, tooMuch, wrong]) expect([found(text), text.length > 10]).toEqual([[], true])
  })

  test('in frames of the event socket', () => {
    expect(found(frames.join('\n'))).toEqual([])
    expect(frames.filter((frame) => frame.includes('"type":"value"') && hasMask(frame)).length).toBeGreaterThanOrEqual(
      2,
    )
  })

  test('in dead letters of a stop', async () => {
    expect(found(await read('/flows/live/stop', 'POST'))).toEqual([])
    const letters = await read('/observability/dead-letter')
    expect([found(letters), hasMask(letters)]).toEqual([[], true])
  })

  test('in the log of the engine, whose lines stay JSON', () => {
    const log = output.join('')
    const lines = log.split('\n').filter((line) => line.startsWith('{'))
    expect([found(log), hasMask(log)]).toEqual([[], true])
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow()
  })

  test('in the database or the files of the engine, where the next one reads what this one has held [T82]', async () => {
    const before = frames.length
    await at.client.http.flows.start({ name: 'live' })
    await post(1)
    await vi.waitUntil(() => frames.slice(before).join('').includes('live.out'), { timeout: 60_000 })
    expect(await at.end('SIGTERM')).toBe(0)
    const rows = new Map<string, string[]>()
    await readDatabase(data.path, async (sql) => {
      const tables = await sql<{ name: string }[]>`
        select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`
      for (const { name } of tables) {
        // oxlint-disable-next-line no-await-in-loop -- one session
        const all = await sql<object[]>(statement(`select * from "${name}"`))
        rows.set(
          name,
          all.flatMap((row) => Object.values(row).map(textOf)),
        )
      }
    })
    expect(rows.get('live_work')?.some((text) => text.startsWith('sealed:'))).toBe(true)
    expect([...rows].filter(([, texts]) => found(texts.join('\n')).length > 0).map(([name]) => name)).toEqual([])
    expect([...rows.values()].flat().some(hasMask)).toBe(true)
    const files = readdirSync(data.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const leaking = files.filter((file) => {
      const text = readFileSync(join(file.parentPath, file.name))
      return found(`${text.toString('utf8')}\n${text.toString('latin1')}`).length > 0
    })
    expect(leaking.map(({ name }) => name)).toEqual([])
  })
})

const statement = (text: string): TemplateStringsArray => Object.assign([text], { raw: [text] })

/** A column as text: bytes as the characters that they are, anything else as JSON. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
