/** `service-worker` as a process of its own, to be stopped and killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Client } from '@flow-service/client-sdk'
import { onTestFinished, vi } from 'vitest'

import { nodeArguments } from './components/node-arguments.ts'

const bin = join(import.meta.dirname, '..', 'packages', 'worker-agent', 'src', 'bin.ts')

/** A worker that has been started. */
export interface AgentProcess {
  readonly child: ChildProcess
  readonly token: string
  readonly jti: string
  /** What it has said so far. */
  output(): string
  /** Ends the process by a signal and waits for its end; resolves with its exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Where to attach. */
interface Engine {
  readonly baseUrl: string
  readonly client: Client
}

interface AgentOptions {
  readonly labels?: string[]
  readonly args?: string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Starts a worker as {@link spawnAgent} does, and waits until it is attached. */
export async function startAgent(engine: Engine, name: string, options: AgentOptions = {}): Promise<AgentProcess> {
  const agent = await spawnAgent(engine, name, options)
  await vi.waitUntil(
    async () => {
      const { exitCode } = agent.child
      if (exitCode !== null) throw new Error(`the worker ended before it was attached:\n${agent.output()}`)
      return (await engine.client.workers.list()).some((worker) => worker.name === name && worker.status === 'attached')
    },
    { timeout: 60_000 },
  )
  return agent
}

/** Starts a worker of a new token, with a cache of its own. It ends with the test. */
export async function spawnAgent(engine: Engine, name: string, options: AgentOptions = {}): Promise<AgentProcess> {
  const { token, jti } = await engine.client.workers.mintToken({ name, labels: options.labels ?? [] })
  const directory = mkdtempSync(join(tmpdir(), 'agent-'))
  const url = `${engine.baseUrl.replace('http', 'ws')}/workers/attach`
  const child = spawn(process.execPath, [...nodeArguments, bin, '--url', url, ...(options.args ?? [])], {
    env: {
      ...process.env,
      TMPDIR: directory,
      SERVICE_WORKER_TOKEN: token,
      SERVICE_ARTIFACT_CACHE: join(directory, 'cache'),
      ...options.env,
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const agent: AgentProcess = {
    child,
    token,
    jti,
    output: () => output,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const exit = once(child, 'exit')
      child.kill(signal)
      return (await exit)[0] as number | null
    },
  }
  onTestFinished(async () => {
    await agent.end('SIGKILL')
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  return agent
}
