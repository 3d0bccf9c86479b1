/**
 * The local sign-in: a file by which the command line finds the engine and is signed in, without asking it for
 * anything. Whoever can read the file could read the database beside it too.
 * @module
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { ResolvedConfig } from '../config.ts'
import { writePrivateFile } from './private-file.ts'
import type { Sessions } from './sessions.ts'
import type { Users } from './users.ts'

/**
 * Writes `cli.json` (`{ base_url, access_token }`, mode 0600) into the data folder in environment `local`, with a new
 * token of the first superuser; in any other environment, or without a superuser, a file that is there is removed.
 * Returns the path of a written file.
 */
export async function writeSignInFile(options: {
  readonly config: Pick<ResolvedConfig, 'dataDir' | 'environment'>
  readonly baseUrl: string
  readonly users: Pick<Users, 'firstSuperuser'>
  readonly sessions: Sessions
}): Promise<string | null> {
  const { baseUrl, config, sessions, users } = options
  const path = join(config.dataDir, 'cli.json')
  const user = config.environment === 'local' ? await users.firstSuperuser() : null
  if (!user) {
    await rm(path, { force: true })
    return null
  }
  const { access_token } = await sessions.issue(user)
  await writePrivateFile(path, `${JSON.stringify({ base_url: baseUrl, access_token }, null, 2)}\n`)
  return path
}
