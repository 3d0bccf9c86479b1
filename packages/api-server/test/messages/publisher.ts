/** Child process of the crash test: publishes 1, 2, 3 … to `crash.x` and tells each number after its commit. */
import fs from 'node:fs'

import { type DatabaseOptions, openDatabase } from '../../src/db/database.ts'
import { openLastValues } from '../../src/messages/last-values.ts'

const place = JSON.parse(process.argv[2] ?? '') as Pick<DatabaseOptions, 'dataDir' | 'databaseUrl'>
const tell = (fields: object, message: string): void => console.error(message, fields)
const database = await openDatabase({ ...place, log: { info: () => undefined, warn: tell, error: tell } })
const artifacts = { addRefs: async () => undefined, dropRefs: async () => undefined, moveRefs: async () => undefined }
const values = await openLastValues({ database, artifacts, log: { error: tell } })
let last = 0
const publish = async (): Promise<never> => {
  for (;;) {
    const value = ++last
    values.record({ message: 'crash.x', flow: 'crash', node: null, port: null }, value, Date.now())
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await values.commit('crash.x')
    fs.writeSync(1, `${value}\n`)
  }
}
await Promise.all([publish(), publish(), publish()])
