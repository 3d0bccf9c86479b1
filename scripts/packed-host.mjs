// What a user's first program would be, run by scripts/package-check.ts against the packed packages: an engine, a flow
// object, a package with a node type, a run, the `service` command, and a worker in a file of its own.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { Connector } from '@flow-service/connector-sdk'
import { mounted } from '@flow-service/connector-sdk/testing'
import { batchFlow, input, stage, t } from '@flow-service/flow-sdk'
import { testStage } from '@flow-service/testing'
import { findPython } from '@flow-service/worker-agent'

const double = stage('double', { in: { n: t.int }, out: { twice: t.int }, run: ({ n }) => ({ twice: 2 * n }) })
const doubling = batchFlow('doubling', { n: input(t.int, 21) }, (p, use) => use(double, p))
const dataDir = mkdtempSync(join(tmpdir(), 'packed-'))

// below this program, so that the package finds what npm has installed for it
const acme = join('project', 'node_modules', 'acme')
mkdirSync(acme, { recursive: true })
writeFileSync(join('project', 'package.json'), JSON.stringify({ dependencies: { acme: '*' } }))
const types = { acme_half: './half.js#half' }
const manifest = { name: 'acme', version: '1.2.0', type: 'module', service: { node_types: types } }
writeFileSync(join(acme, 'package.json'), JSON.stringify(manifest))
writeFileSync(
  join(acme, 'half.js'),
  `import { defineNode } from '@flow-service/connector-sdk'
   import * as z from 'zod'
   export const half = defineNode({
     type: 'half', title: 'Half', description: '', category: 'connector', settings: z.object({}), arrival: 'each',
     start: () => ({ onValue: (_port, value) => ({ half: value / 2 }) }),
   })`,
)

class One extends Connector {
  static contract = 1
  async poll() {
    return { value: 1 }
  }
}
const one = await mounted(One, { settings: { poll_interval: 1 }, outputs: { value: 'int' } })
await one.advance(0)
assert.deepEqual(one.sent, [{ value: 1 }])
await one.stop()

assert.equal((await testStage(double, { n: 4 })).outputs.twice, 8)
const service = await createService({
  dataDir,
  projectDir: 'project',
  port: 0,
  environment: 'local',
  logLevel: 'warn',
  flows: [doubling],
})
try {
  const { baseUrl, origin } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })
  assert.deepEqual(await (await client.runs.submit(doubling)).result(), { twice: 42 })

  const page = await (await fetch(`${origin}/console/`)).text()
  const [, script = ''] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page) ?? []
  assert.equal(
    (await fetch(`${origin}/console/${script}`)).headers.get('content-type'),
    'text/javascript; charset=utf-8',
  )

  const installed = (await client.flows.nodeTypes()).find((each) => each.package === 'acme')
  assert.deepEqual([installed?.type, installed?.version], ['acme_half', '1.2.0'])
  assert.deepEqual((await client.observability.summary()).load_errors, [])

  const source = 'def run(n):\n    return {"square": n * n}\n'
  const ports = [
    { direction: 'input', name: 'n', dtype: 'int' },
    { direction: 'output', name: 'square', dtype: 'int' },
  ]
  const document = {
    mode: 'batch',
    inputs: [{ name: 'n', dtype: 'int', initial: 3 }],
    outputs: [{ name: 'square' }],
    nodes: [{ id: 'square', type: 'python', source, ports }],
  }
  const saved = await client.flows.save('squaring', document)
  await client.flows.publish('squaring', { version: saved.version })
  const { id } = await client.runs.submit('squaring')
  assert.deepEqual((await client.wait(id)).result, { square: 9 })

  assert.equal((await fetch(`${origin}/docs`)).status, 200)
  assert.match(await (await fetch(`${baseUrl}/devices/runtime`)).text(), /^class Device:/m)
  const bin = join('node_modules', '.bin', 'service')
  const { stdout } = await promisify(execFile)(bin, ['runs', 'list', '--json'], {
    env: { ...process.env, SERVICE_DATA_DIR: dataDir },
  })
  assert.equal(JSON.parse(stdout).length, 2)

  // the worker in a file, with this Node, where nothing else is
  const file = join(dataDir, 'service-worker')
  await promisify(execFile)(bin, ['worker', 'bundle', '--node', '--out', file])
  const { token } = await client.workers.mintToken({ name: 'bare' })
  const url = `${baseUrl.replace('http', 'ws')}/workers/attach`
  const env = { PATH: '/usr/bin:/bin', TMPDIR: dataDir, HOME: dataDir, SERVICE_WORKER_TOKEN: token }
  const python = await findPython(process.env)
  const options = { cwd: dataDir, env, stdio: ['ignore', 'inherit', 'inherit'] }
  const worker = spawn(file, ['--url', url, '--python', python.path], options)
  const far = { ...document, nodes: [{ ...document.nodes[0], worker: 'bare', cache: false }] }
  const { version } = await client.flows.save('far', far)
  await client.flows.publish('far', { version })
  const { id: there } = await client.runs.submit('far')
  const { result, nodes } = await client.wait(there)
  assert.deepEqual([result, nodes[0].worker], [{ square: 9 }, 'bare'])
  worker.kill()
  assert.equal((await once(worker, 'exit'))[0], 0)
} finally {
  await service.close()
  rmSync(dataDir, { recursive: true, force: true })
}
console.log(`the packed packages work on Node ${process.versions.node}`)
