/** Child process of the disk tests: executes the statements that it is sent in the database of a data directory. */
import { openDatabase } from '../../src/db/database.ts'

const [, , dataDir = ''] = process.argv
const tell = (message: object): void => void process.send?.(message)
const log = { info: () => {}, warn: () => {}, error: () => {} }
const database = await openDatabase({ dataDir, log })
void database.failed.then(({ message }) => tell({ failed: message }))

async function execute({ id, text }: { id: number; text: string }): Promise<void> {
  try {
    tell({ id, rows: [...(await database.sql.unsafe(text))] })
  } catch (error) {
    tell({ id, code: (error as { code?: string }).code, message: String(error) })
  }
}

process.on('message', (statement: { id: number; text: string }) => void execute(statement))
process.once('disconnect', () => void database.close().then(() => process.exit(0)))
tell({ ready: true })
