/** Makes the empty database that every new data directory begins with, once after an install: see db/template.ts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createDataDirectory } from '../packages/api-server/src/db/template.ts'

const scratch = mkdtempSync(join(tmpdir(), 'prepare-'))
await createDataDirectory(join(scratch, 'db'))
rmSync(scratch, { recursive: true, force: true })
