/**
 * What nodes reach of the engine's machine: the files directory, and commands that run in it.
 * @module
 */
import type { Host } from '@flow-service/core'

import { runCommand } from './commands.ts'
import { openFilesFolder } from './files-folder.ts'

/** Opens the files directory; `env` is what commands see beside the variables of their flow. */
export async function openMachine(
  directory: string,
  env: Readonly<Record<string, string>>,
): Promise<Pick<Host, 'files' | 'spawn'>> {
  return {
    files: await openFilesFolder(directory),
    spawn: (command, own) => runCommand(command, own, { directory, env }),
  }
}
