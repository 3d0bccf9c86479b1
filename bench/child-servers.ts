/**
 * What benchmarks measure, each server in a process of its own.
 * @module
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import { afterAll } from 'vitest'

/** Starts programs of `servers/`, which end with the file of the benchmark. */
export function useServers(...nodeOptions: readonly string[]) {
  const children: ChildProcess[] = []
  afterAll(() => {
    for (const child of children) child.kill('SIGTERM')
  })
  const start = (file: string, ...args: readonly string[]): ChildProcess => {
    const child = fork(join(import.meta.dirname, 'servers', file), args, {
      execArgv: ['--conditions=@flow-service/source', ...nodeOptions],
    })
    children.push(child)
    return child
  }
  /** Starts one, and waits for its first message: where it listens. */
  const startAt = async <T = string>(
    file: string,
    ...args: readonly string[]
  ): Promise<{ child: ChildProcess; at: T }> => {
    const child = start(file, ...args)
    const [at] = (await once(child, 'message')) as [T]
    return { child, at }
  }
  return { start, startAt }
}

/** What a program answers to an order; one order at a time. */
export async function ask<T>(child: ChildProcess, order: string | object): Promise<T> {
  const answer = once(child, 'message')
  child.send(order)
  return (await answer)[0] as T
}
