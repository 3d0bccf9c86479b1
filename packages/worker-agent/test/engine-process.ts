/** An engine to be killed: three calls that never end, then their processes' numbers on stdout. */
import type { CallFrame } from '@flow-service/protocol'

import { createWorker, memoryTransport } from '../src/index.ts'

const [id = '', directory = '', python = '', how = 'fork'] = process.argv.slice(2)
const none = async (): Promise<never> => {
  throw new Error('this engine has no artifacts')
}
const { worker, engine } = memoryTransport({ get: none, put: none })
const pids: number[] = []
engine.onFrame((frame) => {
  if (frame.type !== 'started') return
  pids.push(frame.pid)
  if (pids.length === 3) console.log(JSON.stringify(pids))
})
createWorker(worker, { id, directory, python, fork: how === 'fork' })
const node = 'export const entry = { kind: "node", id: "n", initials: {}, run() { for (;;); } }'
const sources: [CallFrame['kind'], string][] = [
  ['python', 'def run():\n    while True: pass\n'],
  ['python', 'import subprocess\ndef run():\n    subprocess.run(["sleep", "600"])\n'],
  ['code', node],
]
for (const [kind, source] of sources)
  engine.send({
    type: 'call',
    call: source,
    attempt: 1,
    flow: 'f',
    node: 'n',
    run: null,
    mode: 'batch',
    kind,
    source,
    source_digest: source,
    entry: kind === 'code' ? 'entry' : 'run',
    settings: {},
    inputs: {},
    input_ports: [],
    outputs: [],
    env: {},
    seed: '',
    timeout_s: null,
  })
