/** The endpoints that read many runs, over a database of their own; for benchmarks. */
import { type Database, openDatabase } from '../../src/db/database.ts'
import { bind } from '../../src/http/mount.ts'
import { createCurveStore } from '../../src/runs/curves/curve-store.ts'
import { createPackedStore } from '../../src/runs/curves/packed-store.ts'
import { comparisonEndpoints, comparisonHandlers } from '../../src/runs/reports/comparison-routes.ts'
import { CurveComparison } from '../../src/runs/reports/comparison.ts'
import { CurveColumnsReader } from '../../src/runs/reports/curve-columns.ts'
import { exportEndpoints, exportHandlers } from '../../src/runs/reports/export-routes.ts'
import { createExportStore } from '../../src/runs/reports/export-store.ts'
import { RunExports } from '../../src/runs/reports/run-export.ts'
import { type Running, serve } from '../http/server.ts'

export interface Tables extends AsyncDisposable {
  readonly database: Database
  readonly api: Running
}

const reading = { flush: async () => {}, secrets: { mask: <T>(shown: T): T => shown } }

/** Opens the database of a directory and serves its curves and exports. */
export async function openTables(dataDir: string): Promise<Tables> {
  const log = { info() {}, warn() {}, error() {} }
  const database = await openDatabase({ dataDir, log })
  const curves = createCurveStore(database.sql)
  const exports = new RunExports({ store: createExportStore(database.sql), curves, ...reading })
  const api = await serve(
    [
      ...bind(
        comparisonEndpoints,
        comparisonHandlers({
          curves: new CurveComparison({ store: curves, ...reading }),
          columns: new CurveColumnsReader({ store: curves, packed: createPackedStore(database.sql), ...reading }),
        }),
      ),
      ...bind(exportEndpoints, exportHandlers({ exports })),
    ],
    { checkReplies: false },
  )
  return {
    database,
    api,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]()
      await database.close()
    },
  }
}
