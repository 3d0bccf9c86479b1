/**
 * The value of a secret, printed, emitted, published, raised and passed on by nodes in every encoding, and then looked
 * for in all that an engine shows, keeps for showing, logs, or starts processes with.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

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
    {
      id: 'hold',
      type: 'delay',
      settings: { delay: 1000 },
      ports: [
        { direction: 'input', name: 'out' },
        { direction: 'output', name: 'later' },
      ],
    },
    // refuses what it gets, and says so
    {
      id: 'refuse',
      type: 'change',
      settings: { scale: 1 },
      ports: [
        { direction: 'input', name: 'out' },
        { direction: 'output', name: 'scaled' },
      ],
    },
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
    await at.client.secrets.set({ name: 'canary', value: canary })
    await at.client.secrets.set({ name: 'hook', value: hook })
    await publishFlow(at.client, 'live', live)
    await publishFlow(at.client, 'batch', batch)
    const { ticket } = await at.client.flows.wsTicket()
    const socket = new WebSocket(`${at.baseUrl.replace('http', 'ws')}/flows/ws?ticket=${ticket}`)
    socket.addEventListener('message', ({ data: frame }) => frames.push(String(frame)))
    await new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }))
    await at.client.flows.start({ name: 'live' })
    for (const n of [1, -1]) {
      const path = `${at.origin}/hooks/live/in/${encodeURIComponent(hook)}`
      const headers = { 'content-type': 'application/json' }
      const { status } = await fetch(path, { method: 'POST', headers, body: String(n) })
      if (status !== 202) throw new Error(`the webhook answered ${status}`)
    }
    const submit = (n: number) => at.client.runs.submit({ name: 'batch', params: { n } as never })
    runs = await Promise.all([1, -1].map(async (n) => (await submit(n)).id))
    await Promise.all(runs.map((id) => at.client.wait(id)))
    await vi.waitUntil(() => frames.join('').includes('ValueError') && frames.join('').includes('live.out'), {
      timeout: 30_000,
    })
  }, 120_000)
  afterAll(async () => {
    await at?.end('SIGTERM')
    data[Symbol.dispose]()
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
    ['the last values', '/messages/', true],
    ['a history', '/messages/live.out/history', true],
    ['the list of runs', '/runs', true],
    ['the overview of runs', '/runs/overview', true],
    ['an export of runs', '/runs/export/runs?format=csv', false],
    ['an export of metrics', '/runs/export/metrics?format=csv', false],
    ['cascades', '/observability/runs', true],
    ['events and audit', '/observability/events', false],
    ['secrets', '/secrets/usage', false],
  ])('in %s', async (_where, path, isMasked) => {
    const text = await read(path)
    expect(text).toMatch(/^[[{]|,/)
    expect(found(text)).toEqual([])
    expect(hasMask(text)).toBe(isMasked)
  })

  test('in records of runs: outputs, result, error, traceback and log, and no process shows one in its arguments', async () => {
    const [ok, failed] = await Promise.all(runs.map((id) => read(`/runs/${id}`)))
    const outputs = await read(`/runs/${runs[0]}/nodes/work/outputs`)
    expect([ok, failed].map((text) => (JSON.parse(text ?? '') as { status: string }).status)).toEqual(['ok', 'error'])
    for (const text of [ok, failed]) expect([found(text ?? ''), hasMask(text ?? '')]).toEqual([[], true])
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
})
