/**
 * The engine as a process: start, tell where it is, wait for the signal, stop.
 * @module
 */
import * as module from 'node:module'

import type { LoadError, Service, ServiceConfig } from '@flow-service/api-server'

import { CommandFailure, plainly } from './failure.ts'

/** Options of `dev` and `serve`. */
export interface EngineFlags {
  readonly host?: string
  readonly port?: number
  readonly data?: string
}

/** A running engine and where it answers. */
export interface Engine {
  readonly service: Service
  readonly origin: string
  readonly baseUrl: string
}

/** Starts the engine and listens. What cannot be started is told in one sentence. */
export async function startEngine(flags: EngineFlags, more: ServiceConfig): Promise<Engine> {
  const config: ServiceConfig = {
    ...more,
    guardProcess: true,
    ...(flags.host === undefined ? {} : { host: flags.host }),
    ...(flags.port === undefined ? {} : { port: flags.port }),
    ...(flags.data === undefined ? {} : { dataDir: flags.data }),
  }
  const service = await plainly(() => openService(config))
  try {
    const listening = await service.listen()
    // an engine that is killed leaves its compiled code for the next one too
    module.flushCompileCache?.()
    return { service, ...listening }
  } catch (error) {
    await service.close()
    throw cannotListen(error, service.config)
  }
}

/** The database opens while the engine is loaded. */
async function openService(config: ServiceConfig): Promise<Service> {
  try {
    const { openDatabaseAhead } = await import('@flow-service/api-server/ahead')
    await openDatabaseAhead(config)
    const { createService } = await import('@flow-service/api-server')
    return await createService(config)
  } catch (error) {
    const { closeDatabaseAhead } = await import('@flow-service/api-server/ahead')
    await closeDatabaseAhead()
    throw error
  }
}

function cannotListen(error: unknown, { host, port }: Service['config']): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EADDRINUSE')
    return new CommandFailure(1, `port ${port} is taken; give another one with --port, or 0 for any`)
  if (code === 'EACCES')
    return new CommandFailure(1, `port ${port} needs more rights than this process has; give another one with --port`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new CommandFailure(1, `"${host}" is no address of this machine; give another one with --host`)
  return error
}

/** A module or flow that could not be loaded, for people: its place, what is wrong, and the lines around it. */
export function describeLoadError({ file, line, column, message, frame }: LoadError): string {
  const place = [file, line, column].filter((part) => part !== null).join(':')
  return `error: ${place === '' ? '' : `${place}: `}${message}${frame === null ? '' : `\n${frame}`}`
}

/**
 * Resolves when the process is told to end (Ctrl-C, SIGTERM) and the engine has stopped; rejects when the engine is lost
 * for good. `stopping` comes first in either case. A second signal ends the process at once. SIGHUP ends it too, but where
 * it means something else, which `hungUp` does then.
 */
export async function untilStopped(
  { service }: Engine,
  stopping: () => Promise<void> | void,
  hungUp: (() => void) | null = null,
): Promise<void> {
  if (hungUp) process.on('SIGHUP', hungUp)
  const signals = ['SIGINT', 'SIGTERM', ...(hungUp ? [] : (['SIGHUP'] as const))] as const
  const lost = await Promise.race([
    service.failed,
    new Promise<null>((resolve) => {
      for (const signal of signals) process.once(signal, () => resolve(null))
    }),
  ])
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
  await stopping()
  await service.close()
  if (lost) throw new CommandFailure(1, `the engine is lost: ${lost.message}`)
}
