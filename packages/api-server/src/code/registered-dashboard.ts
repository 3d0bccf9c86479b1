/**
 * A dashboard in TypeScript on its way from its module, or from an object, into the database.
 * @module
 */
import {
  type DashboardCreate,
  dashboardCreateSchema,
  dashboardNameSchema,
  MAX_DASHBOARD_BYTES,
} from '@flow-service/protocol'

import { jsonPointer } from '../http/errors.ts'

/** A dashboard that a module defines. */
export interface RegisteredDashboard {
  readonly name: string
  readonly shown: DashboardCreate
  /** Path of the module, relative to the project root. */
  readonly module: string
}

/** What somebody's code has made, checked. Throws an error that tells what is wrong, and where. */
export function registeredDashboard(name: string, document: unknown, module: string): RegisteredDashboard {
  const [badName] = dashboardNameSchema.safeParse(name).error?.issues ?? []
  if (badName) throw new Error(`dashboard "${name}": ${badName.message}`)
  const parsed = dashboardCreateSchema.safeParse(document)
  const [fault] = parsed.error?.issues ?? []
  if (fault) throw new Error(`dashboard "${name}": ${jsonPointer(fault.path)}: ${fault.message}`)
  const bytes = Buffer.byteLength(JSON.stringify(parsed.data))
  if (parsed.data === undefined || bytes > MAX_DASHBOARD_BYTES)
    throw new Error(`dashboard "${name}" has ${bytes} bytes of JSON; give it ${MAX_DASHBOARD_BYTES} at most`)
  return { name, shown: parsed.data, module }
}
