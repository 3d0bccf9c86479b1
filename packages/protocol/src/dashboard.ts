/**
 * Dashboards: widgets on a grid, bound to messages and runs, with a draft and a published content (wire decisions G41, U9).
 * Whatever stands in titles and texts is text: who shows it makes no HTML of it.
 * @module
 */
import * as z from 'zod'

import { artifactRefSchema } from './artifact.ts'
import { issueSchema } from './flow-state.ts'
import { MAX_COMPARED_RUNS, MAX_WIDGETS } from './limits.ts'
import { flowNameSchema, messageRefSchema, nameSchema } from './names.ts'
import { timestampSchema } from './time.ts'

/** Name of a dashboard: as that of a flow, and not the word of `/dashboards/from-flow/{flow}`. */
export const dashboardNameSchema = flowNameSchema.refine((value) => value !== 'from-flow', {
  error: (issue) => `"${String(issue.input)}" is a reserved name`,
})

const titleSchema = z.string().max(200)
const unitSchema = z.string().max(50).optional().meta({ description: 'Shown behind the number.' })
const countOf = (most: number) => z.int().min(1).max(most)

const metricsSchema = z
  .array(z.string().min(1).max(250))
  .max(100)
  .meta({ description: 'Curves by name, such as `fit.loss`. Without any, the results of the runs are meant.' })

const selectionSchema = z.union([
  z.strictObject({
    latest: countOf(MAX_COMPARED_RUNS).meta({ description: 'How many of the newest runs.' }),
    flow: nameSchema,
  }),
  z.strictObject({ group_id: z.string().min(1).max(100).meta({ description: 'Of a sweep.' }) }),
  z.strictObject({ ids: z.array(z.string().min(1).max(100)).min(1).max(MAX_COMPARED_RUNS) }),
])

/** What a widget draws beside, or in place of, the message that it is bound to: messages, or curves of runs. */
export const chartSourceSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('messages'),
      messages: z.array(messageRefSchema).min(1).max(50).meta({ description: 'Qualified: `<flow>.<message>`.' }),
      window_s: z
        .number()
        .positive()
        .max(1e9)
        .optional()
        .meta({ description: 'How far back; all that is kept unless given.' }),
    }),
    z.strictObject({
      kind: z.literal('runs'),
      select: selectionSchema,
      metrics: metricsSchema,
      x: z.string().min(1).max(250).optional().meta({ description: '`step` unless given, `time`, or another curve.' }),
    }),
  ])
  .meta({ id: 'ChartSource' })
/** Where the curves of a chart come from. */
export type ChartSource = z.output<typeof chartSourceSchema>

const isOrdered = ({ min, max }: { readonly min: number; readonly max: number }): boolean => min < max
const unordered = { path: ['max'], error: 'give a "max" above "min"' }

const valueOptions = z.strictObject({ unit: unitSchema, decimals: z.int().min(0).max(20).optional() })

const thresholdSchema = z.strictObject({ from: z.number(), level: z.enum(['ok', 'warning', 'error']) })
const gaugeOptions = z
  .strictObject({
    min: z.number().default(0),
    max: z.number().default(100),
    unit: unitSchema,
    thresholds: z.array(thresholdSchema).max(20).optional(),
  })
  .refine(isOrdered, unordered)

const chartOptions = z.strictObject({
  log_x: z.boolean().optional(),
  log_y: z.boolean().optional(),
  smoothing: z.number().min(0).max(1).optional(),
  unit: unitSchema,
})

const tableOptions = z.strictObject({
  columns: z.array(z.string().min(1).max(200)).max(100).optional(),
  limit: countOf(1000).default(50).meta({ description: 'Rows, at most.' }),
})

const imageOptions = z.strictObject({
  artifact: z
    .strictObject(artifactRefSchema.shape)
    .optional()
    .meta({ description: 'A stored picture, which is kept as long as it is shown.' }),
})

const textOptions = z.strictObject({
  markdown: z.string().max(100_000).meta({ description: 'Markdown without HTML: tags in it are text.' }),
})

const buttonOptions = z.strictObject({ value: z.json().default(true), label: titleSchema.optional() })
const switchOptions = z.strictObject({ on: z.json().default(true), off: z.json().default(false) })

const sliderOptions = z
  .strictObject({ min: z.number(), max: z.number(), step: z.number().positive().default(1) })
  .refine(isOrdered, unordered)

const inputOptions = z.strictObject({ placeholder: titleSchema.optional() })

/** Columns of a grid, at most. */
const MAX_COLUMNS = 24
/** Rows of a grid, at most. */
const MAX_ROWS = 10_000

const widget = <const T extends string, O extends z.ZodType>(type: T, options: O) =>
  z.strictObject({
    id: nameSchema.meta({ description: 'Once in a dashboard.' }),
    type: z.literal(type),
    title: titleSchema.default(''),
    x: z
      .int()
      .min(0)
      .max(MAX_COLUMNS - 1),
    y: z.int().min(0).max(MAX_ROWS),
    w: countOf(MAX_COLUMNS),
    h: countOf(MAX_ROWS),
    binding: z
      .strictObject({ message: messageRefSchema.meta({ description: 'Qualified: `<flow>.<message>`.' }) })
      .nullable()
      .default(null)
      .meta({ description: 'The message that is shown, or published by a control.' }),
    source: chartSourceSchema.nullable().default(null),
    options,
  })

/** A widget: `type` decides what its options are. */
export const widgetSchema = z
  .discriminatedUnion('type', [
    widget('value', valueOptions.prefault({})),
    widget('gauge', gaugeOptions.prefault({})),
    widget('chart', chartOptions.prefault({})),
    widget('table', tableOptions.prefault({})),
    widget('image', imageOptions.prefault({})),
    widget('text', textOptions),
    widget('button', buttonOptions.prefault({})),
    widget('switch', switchOptions.prefault({})),
    widget('slider', sliderOptions),
    widget('input', inputOptions.prefault({})),
  ])
  .meta({ id: 'Widget' })
/** A widget in normal form: every default filled in. */
export type Widget = z.output<typeof widgetSchema>
/** A widget as clients write it. */
export type WidgetInput = z.input<typeof widgetSchema>

/** What a dashboard shows. Every widget lies within the columns, and has an id of its own. */
export const dashboardContentSchema = z
  .strictObject({
    columns: countOf(MAX_COLUMNS).default(12),
    widgets: z.array(widgetSchema).max(MAX_WIDGETS).default([]),
  })
  .superRefine(({ columns, widgets }, context) => {
    const ids = new Set<string>()
    for (const [at, { id, x, w }] of widgets.entries()) {
      if (x + w > columns)
        context.addIssue({
          code: 'custom',
          path: ['widgets', at, 'w'],
          message: `widget "${id}" ends in column ${x + w} of ${columns}: give it a smaller "x" or "w"`,
        })
      if (ids.has(id))
        context.addIssue({
          code: 'custom',
          path: ['widgets', at, 'id'],
          params: { code: 'duplicate_id' },
          message: `another widget has the id "${id}": give each its own`,
        })
      ids.add(id)
    }
  })
  .meta({ id: 'DashboardContent' })
/** What a dashboard shows, in normal form. */
export type DashboardContent = z.output<typeof dashboardContentSchema>
/** What a dashboard shows, as clients write it. */
export type DashboardContentInput = z.input<typeof dashboardContentSchema>

/** A dashboard with its draft, or its published content. */
export const dashboardSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    version: z.int(),
    has_draft: z.boolean(),
    published_version: z.int().nullable(),
    is_draft: z.boolean().meta({ description: 'Whether title and content are those of the draft.' }),
    origin: z.enum(['api', 'code']),
    issues: z.array(issueSchema).meta({ description: 'What it names and nobody has; each a warning.' }),
    content: dashboardContentSchema,
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'Dashboard' })
/** A dashboard as the API answers it. */
export type Dashboard = z.output<typeof dashboardSchema>

/** A row of `GET /dashboards/`: title and issues are those of the draft where there is one. */
export const dashboardListItemSchema = dashboardSchema
  .omit({ content: true, is_draft: true })
  .meta({ id: 'DashboardListItem' })
/** A dashboard in the list. */
export type DashboardListItem = z.output<typeof dashboardListItemSchema>

/** Body of `POST /dashboards/{name}`. */
export const dashboardCreateSchema = z
  .strictObject({ title: titleSchema.default(''), content: dashboardContentSchema.prefault({}) })
  .meta({ id: 'DashboardCreate' })
/** What a dashboard is made of, in normal form. */
export type DashboardCreate = z.output<typeof dashboardCreateSchema>

/** A dashboard written in TypeScript; `@flow-service/flow-sdk` makes it. */
export interface DashboardObject {
  readonly kind: 'dashboard'
  readonly name: string
  /** As it would be sent to `POST /dashboards/{name}`. */
  readonly document: z.input<typeof dashboardCreateSchema>
}

/** Body of `PUT /dashboards/{name}`: what is left out stays. */
export const dashboardSaveSchema = z
  .strictObject({
    title: titleSchema.optional(),
    content: dashboardContentSchema.optional(),
    version: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'The version that was read: refused when it is no longer that.' }),
  })
  .meta({ id: 'DashboardSave' })
/** What a save changes. */
export type DashboardSave = z.output<typeof dashboardSaveSchema>

/** Body of `POST /dashboards/{name}/publish`. */
export const dashboardPublishSchema = dashboardSaveSchema.pick({ version: true }).meta({ id: 'DashboardPublish' })
