/**
 * Between rows and what a dashboard shows. What a row holds is checked whenever it is read: content that no longer fits is
 * told as an issue of its dashboard, and keeps the others from nothing.
 * @module
 */
import { type DashboardCreate, dashboardCreateSchema, type Issue } from '@flow-service/protocol'

import { jsonPointer } from '../http/errors.ts'
import type { DashboardRow } from './store.ts'

/** Title and content as they were read; `fault` when the row holds none, and the content is an empty one. */
export interface ReadContent {
  readonly shown: DashboardCreate
  readonly fault: Issue | null
}

/** The draft if there is one, else what is published. */
export const currentContent = ({ draft, published }: DashboardRow): ReadContent => readContent(draft ?? published)

/** A stored content. */
export function readContent(stored: unknown): ReadContent {
  const parsed = dashboardCreateSchema.safeParse(stored)
  if (parsed.success) return { shown: parsed.data, fault: null }
  const [first] = parsed.error.issues
  const path = jsonPointer(first?.path ?? [])
  return {
    shown: dashboardCreateSchema.parse({}),
    fault: {
      severity: 'error',
      code: 'bad_setting',
      message: `the stored content cannot be read: ${path}: ${first?.message ?? 'no content'}; save the dashboard anew`,
      node: null,
      path,
    },
  }
}
