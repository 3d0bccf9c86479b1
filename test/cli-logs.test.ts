/** `service runs logs` and `service flows logs`: what nodes print, at once and as it comes. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { NodeLogs } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { begin, ended, runService } from './cli-process.ts'
import { publishFlow, pythonNode } from './documents.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
const folder = mkdtempSync(join(tmpdir(), 'cli-logs-'))
const gate = join(folder, 'gate')

/** Prints, waits for the file, prints more. */
const waiting = `import os, time
def run(n):
    print("epoch 1", flush=True)
    while not os.path.exists(${JSON.stringify(gate)}): time.sleep(0.02)
    print("epoch \\x1b[31m2\\x1b[0m")
    print("done", end="")
    return {"out": n}
`
beforeAll(async () => {
  at = await startService()
  await publishFlow(at.client, 'fit', {
    mode: 'batch',
    inputs: [{ name: 'n', dtype: 'int', initial: 1 }],
    nodes: [
      pythonNode('train', waiting, { cache: false }),
      {
        id: 'check',
        type: 'python',
        source: 'def run(out):\n    print("checked", out)\n',
        ports: [{ direction: 'input', name: 'out', dtype: 'any' }],
      },
    ],
  })
  await publishFlow(at.client, 'hall', {
    mode: 'live',
    inputs: [{ name: 'n', dtype: 'int' }],
    nodes: [pythonNode('say', 'def run(n):\n    print("saw", n, flush=True)\n')],
  })
  await at.client.http.flows.start({ name: 'hall' })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const where = () => ({ cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir } })
const service = (...args: string[]) => runService(args, where())

/** Resolves once a command has printed this. */
const said = (child: ChildProcessWithoutNullStreams, text: string): Promise<void> =>
  new Promise((resolve) => {
    let out = ''
    child.stdout.on('data', (more: string) => {
      out += more
      if (out.includes(text)) resolve()
    })
  })

test('the logs of a run are followed to its end, lines with their nodes; read again they are the same', async () => {
  const { id } = await at.client.runs.submit('fit')
  const followed = await ended(begin(['runs', 'logs', id, '--follow'], where()), async (child) => {
    await said(child, 'epoch 1\n')
    writeFileSync(gate, '')
  })
  const lines = ['train | epoch 1', 'train | epoch \\u001b[31m2\\u001b[0m', 'train | done', 'check | checked 1', '']
  expect(followed).toEqual({ code: 0, out: lines.join('\n'), err: '' })
  expect(await service('runs', 'logs', id)).toEqual({ code: 0, out: lines.join('\n'), err: '' })
  expect((await service('runs', 'logs', id, 'train', '-n', '1')).out).toBe('done\n')
  const json = (await service('runs', 'logs', id, 'check', '--json')).out
  expect(JSON.parse(json) as NodeLogs).toEqual({
    flow: 'fit',
    node: 'check',
    run: id,
    from: 0,
    next: 10,
    text: 'checked 1\n',
    cut: false,
    ended: true,
  })
  expect(await service('runs', 'logs', id, 'other')).toMatchObject({
    code: 1,
    err: expect.stringContaining('has no node "other"; its nodes: train, check'),
  })
})

test('a node that begins once another has ended is printed behind it, whenever they are read', async () => {
  let asked = 0
  // "train" ends behind its second answer
  const printed = (node: string): string => (node === 'check' ? 'checked\n' : asked > 2 ? 'half done' : 'half')
  const engine = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine')
    const [, node] = /nodes\/(\w+)\/logs$/u.exec(pathname) ?? []
    if (node === undefined) {
      response.end(JSON.stringify({ id: 'r1', flow: 'fit', nodes: [{ node: 'train' }, { node: 'check' }] }))
      return
    }
    asked += 1
    const text = printed(node).slice(Number(searchParams.get('after') ?? 0))
    const next = printed(node).length
    response.end(JSON.stringify({ flow: 'fit', node, run: 'r1', from: 0, next, text, cut: false, ended: asked > 2 }))
  })
  const port = await new Promise<number>((resolve) =>
    engine.listen(0, '127.0.0.1', () => resolve((engine.address() as AddressInfo).port)),
  )
  const url = `http://127.0.0.1:${port}/api/v1`
  expect(await runService(['runs', 'logs', randomUUID(), '--url', url, '--token', 't'], where())).toEqual({
    code: 0,
    out: 'train | half done\ncheck | checked\n',
    err: '',
  })
  engine.close().closeAllConnections()
})

test('what is not kept any more is told, with where it is', async () => {
  await publishFlow(at.client, 'long', {
    mode: 'batch',
    nodes: [
      { id: 'talk', type: 'python', source: 'def run():\n    print("x" * 69_999)\n    print("end")\n', ports: [] },
    ],
  })
  const run = await at.client.runs.submit('long')
  await run.wait()
  const { out, err } = await service('runs', 'logs', run.id)
  expect(out.endsWith('xx\nend\n')).toBe(true)
  expect(out).toHaveLength(65_536)
  expect(err).toBe(
    `[what talk printed before is not kept here; all of it is the artifact talk.log of the run once the node has ended]\n`,
  )
})

test('the logs of a live flow are followed until Ctrl-C; of a batch flow they are with its runs', async () => {
  await at.client.publish('hall.n', 1)
  await expect.poll(async () => (await at.client.flows.nodes.logs('hall', 'say')).text).toBe('saw 1\n')
  const followed = await ended(begin(['flows', 'logs', 'hall', '-f'], where()), async (child) => {
    await said(child, 'saw 1\n')
    await at.client.publish('hall.n', 2)
    await said(child, 'saw 2\n')
    child.kill('SIGINT')
  })
  expect(followed).toEqual({ code: 0, out: 'saw 1\nsaw 2\n', err: '' })
  expect(await service('flows', 'logs', 'fit')).toMatchObject({
    code: 1,
    err: expect.stringContaining('flow "fit" is a batch flow: see service runs logs'),
  })
})
