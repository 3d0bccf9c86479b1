/**
 * Starts a real Modbus device for tests: a server of pymodbus on a free port of 127.0.0.1.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'

import { pythonWith } from './python-packages.ts'

/** Values from an address on, of a type of pymodbus. */
interface Values {
  readonly address: number
  readonly type: 'BITS' | 'UINT16' | 'INT16' | 'UINT32' | 'INT32' | 'FLOAT32' | 'FLOAT64'
  readonly values: readonly (number | boolean)[]
}

/** Tables of a device; what they do not name is an illegal address. */
export interface ModbusDevice {
  readonly unit?: number
  readonly coil?: readonly Values[]
  readonly discrete?: readonly Values[]
  readonly holding?: readonly Values[]
  readonly input?: readonly Values[]
}

/** A running device. */
export interface ModbusServer {
  readonly port: number
  /** Requests as they have come: function code, address, and how many. */
  readonly requests: { readonly function: number; readonly address: number; readonly count: number }[]
  /** Freezes the process, and thaws it: it takes connections, and does nothing. */
  pause(): void
  resume(): void
  /** Ends it at once. */
  stop(): Promise<void>
}

const findPython = (): string | null => pythonWith('pymodbus.simulator')

/** Whether tests can use a device. */
export const hasModbusServer = (): boolean => findPython() !== null

/** Starts a device; one table needs a value at least. */
export async function startModbusServer({ unit = 1, ...tables }: ModbusDevice): Promise<ModbusServer> {
  const python = findPython()
  if (python === null) throw new Error('there is no Python with pymodbus')
  // the package takes no table without any
  const spare = { address: 65_535, values: [0] }
  const device = {
    unit,
    coil: [{ ...spare, type: 'BITS', values: [false] }],
    discrete: [{ ...spare, type: 'BITS', values: [false] }],
    holding: [{ ...spare, type: 'UINT16' }],
    input: [{ ...spare, type: 'UINT16' }],
    ...tables,
  }
  const script = path.join(import.meta.dirname, 'modbus-server.py')
  const child = spawn(python, [script, JSON.stringify(device)], { stdio: 'pipe' })
  const exited = once(child, 'exit')
  let noise = ''
  child.stderr.on('data', (chunk: Buffer) => (noise = (noise + chunk.toString()).slice(-4000)))
  const requests: ModbusServer['requests'] = []
  const lines = createInterface({ input: child.stdout })
  const told = await Promise.race([once(lines, 'line'), exited.then(() => null)])
  if (told === null) throw new Error(`the Modbus device ended before it listened: ${noise}`)
  lines.on('line', (line) => requests.push(JSON.parse(line) as ModbusServer['requests'][number]))
  const { port } = JSON.parse(String(told[0])) as { port: number }
  return {
    port,
    requests,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
