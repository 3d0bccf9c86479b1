/**
 * A notification as servers of ntfy's kind take it (docs.ntfy.sh/publish, "Publish as JSON"): what nodes send, and alerts.
 * @module
 */
import { describeValue } from '@flow-service/protocol'
import * as z from 'zod'

import { valueText } from '../../value-text.ts'

const priorities = ['min', 'low', 'default', 'high', 'urgent'] as const

/** How much a notification stands out. */
export const prioritySchema = z.enum(priorities)
type Priority = z.infer<typeof prioritySchema>

/** Where a notification goes, and what holds for those that do not say it themselves. */
interface PushSettings {
  readonly topic: string
  readonly token?: string | null
  readonly title?: string | null
  readonly priority: Priority
  /** Separated by commas. */
  readonly tags?: string | null
}

/** What the value says of its notification itself. */
const ownSchema = z.object({
  message: z.string(),
  title: z.string().optional(),
  priority: z.union([prioritySchema, z.int().min(1).max(5)]).optional(),
  tags: z.union([z.string(), z.array(z.string())]).optional(),
})

/** The request that sends a value as a notification. Throws a `TypeError` when the value says what is no part of one. */
export function pushRequest(settings: PushSettings, value: unknown) {
  const { token = null } = settings
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (token !== null) headers['authorization'] = `Bearer ${token}`
  // a redirect would make a GET of it, which sends nothing and looks like success
  return { method: 'POST', headers, body: JSON.stringify(notificationOf(settings, value)), redirect: 'manual' } as const
}

function notificationOf({ topic, title, priority, tags }: PushSettings, value: unknown): object {
  const own = ownOf(value)
  const tagList = tagsOf(own?.tags ?? tags ?? null)
  const heading = own?.title ?? title
  return {
    topic,
    message: own?.message ?? valueText(value),
    ...(heading ? { title: heading } : {}),
    priority: levelOf(own?.priority ?? priority),
    ...(tagList.length > 0 ? { tags: tagList } : {}),
  }
}

function ownOf(value: unknown): z.infer<typeof ownSchema> | null {
  if (typeof value !== 'object' || value === null) return null
  if (typeof (value as { message?: unknown }).message !== 'string') return null
  const parsed = ownSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const key = String(parsed.error.issues[0]?.path[0] ?? '')
  const given = describeValue((value as Record<string, unknown>)[key])
  const expected = { title: 'a text', priority: `one of ${priorities.join(', ')}, or 1 to 5`, tags: 'texts' }[key]
  throw new TypeError(`the ${key} of a notification is ${expected ?? 'a text'}, which ${given} is not`)
}

const levelOf = (priority: Priority | number): number =>
  typeof priority === 'number' ? priority : priorities.indexOf(priority) + 1

const tagsOf = (tags: string | readonly string[] | null): string[] =>
  (typeof tags === 'string' ? tags.split(',') : (tags ?? [])).map((tag) => tag.trim()).filter((tag) => tag !== '')
