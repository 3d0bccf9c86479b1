/**
 * The package `@flow-service/commands-lm`, which one installs who wants commands in English: it is loaded when a sentence is
 * tried, and never before.
 * @module
 */
import type * as commandsPackage from '@flow-service/commands-lm'

import { CommandFailure } from './failure.ts'

/** What of it is used. */
type CommandsPackage = Pick<typeof commandsPackage, 'explain'>

/** The package; fails with what to do when it is not installed. */
export async function loadCommandsPackage(
  load: () => Promise<CommandsPackage> = () => import('@flow-service/commands-lm'),
): Promise<CommandsPackage> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new CommandFailure(
      1,
      'the package @flow-service/commands-lm is not installed: npm install @flow-service/commands-lm',
    )
  }
}

/** Whether it is the package itself that is not there, and not a part of it. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes("'@flow-service/commands-lm'")
