/**
 * The entry of the process in which packages are tried: imports their modules, and tells what is begun and what came of it.
 * Never imported.
 * @module
 */
import { pathToFileURL } from 'node:url'

import { ContractError } from '@flow-service/connector-sdk'
import { textOf } from '@flow-service/core'

import { exportOf, usableType } from './exported-type.ts'
import type { DeclaredType } from './found-packages.ts'
import type { TrialReply, TrialRequest } from './trial.ts'

// listening keeps the process: what waits for ever at the top of a module is cut off by time
process.on('message', (request) => void tryAll(request as TrialRequest))

async function tryAll({ packages }: TrialRequest): Promise<void> {
  for (const [at, { types }] of packages.entries()) {
    for (const declared of types) {
      const { type } = declared
      await tell({ is: 'begun', at, type })
      const found = await tryType(declared)
      // what its module has put off is still its own doing
      await new Promise((resolve) => setImmediate(resolve))
      await tell({ is: 'tried', at, type, ...found })
    }
  }
  await tell({ is: 'over' })
}

/** Resolves when the engine has it, whatever ends this process next. */
const tell = (reply: TrialReply): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(reply, undefined, {}, () => resolve())
  })

async function tryType(declared: DeclaredType): Promise<{ fault: string | null; isLasting: boolean }> {
  const { type, file, export: name } = declared
  try {
    usableType(type, exportOf((await import(pathToFileURL(file).href)) as Record<string, unknown>, name))
    return { fault: null, isLasting: true }
  } catch (error) {
    // a package may have a copy of the contract of its own
    if (error instanceof Error && error.name === ContractError.name) return { fault: error.message, isLasting: true }
    return { fault: `its module has failed: ${textOf(error)}`, isLasting: false }
  }
}
