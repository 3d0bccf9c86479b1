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

const selectionSchema = z
  .union([
    z
      .strictObject({
        latest: countOf(MAX_COMPARED_RUNS).meta({ description: 'How many of the newest runs.' }),
        flow: nameSchema.meta({ description: 'Of the runs.' }),
      })
      .meta({ id: 'LatestRuns' }),
    z
      .strictObject({ group_id: z.string().min(1).max(100).meta({ description: 'Of a sweep.' }) })
      .meta({ id: 'RunsOfSweep' }),
    z
      .strictObject({
        ids: z.array(z.string().min(1).max(100)).min(1).max(MAX_COMPARED_RUNS).meta({ description: 'Of the runs.' }),
      })
      .meta({ id: 'ChosenRuns' }),
  ])
  .meta({ id: 'RunSelection', description: 'Which runs: the newest of a flow, those of a sweep, or these.' })

/** What a widget draws beside, or in place of, the message that it is bound to: messages, or curves of runs. */
export const chartSourceSchema = z
  .discriminatedUnion('kind', [
    z
      .strictObject({
        kind: z.literal('messages').meta({ description: 'Values of messages over time.' }),
        messages: z.array(messageRefSchema).min(1).max(50).meta({ description: 'Qualified: `<flow>.<message>`.' }),
        window_s: z
          .number()
          .positive()
          .max(1e9)
          .optional()
          .meta({ description: 'How far back, in seconds; all that is kept unless given.' }),
      })
      .meta({ id: 'MessagesSource' }),
    z
      .strictObject({
        kind: z.literal('runs').meta({ description: 'Curves or results of runs.' }),
        select: selectionSchema.meta({ description: 'Which runs.' }),
        metrics: metricsSchema,
        x: z
          .string()
          .min(1)
          .max(250)
          .optional()
          .meta({ description: '`step` unless given, `time`, or another curve.' }),
      })
      .meta({ id: 'RunsSource' }),
  ])
  .meta({ id: 'ChartSource', description: 'Where the curves of a chart, or the rows of a table, come from.' })
/** Where the curves of a chart come from. */
export type ChartSource = z.output<typeof chartSourceSchema>

const isOrdered = ({ min, max }: { readonly min: number; readonly max: number }): boolean => min < max
const unordered = { path: ['max'], error: 'give a "max" above "min"' }

const valueOptions = z
  .strictObject({
    unit: unitSchema,
    decimals: z.int().min(0).max(20).optional().meta({ description: 'Digits behind the point; all unless given.' }),
  })
  .meta({ id: 'ValueOptions' })

const thresholdSchema = z
  .strictObject({
    from: z.number().meta({ description: 'The level holds from this value on.' }),
    level: z.enum(['ok', 'warning', 'error']).meta({ description: 'How values are shown from there on.' }),
  })
  .meta({ id: 'Threshold' })
const gaugeOptions = z
  .strictObject({
    min: z.number().default(0).meta({ description: 'At the left end.' }),
    max: z.number().default(100).meta({ description: 'At the right end; above `min`.' }),
    unit: unitSchema,
    thresholds: z
      .array(thresholdSchema)
      .max(20)
      .optional()
      .meta({ description: 'From which values which level holds.' }),
  })
  .refine(isOrdered, unordered)
  .meta({ id: 'GaugeOptions' })

const chartOptions = z
  .strictObject({
    log_x: z.boolean().optional().meta({ description: 'Whether x has a logarithmic scale; not unless given.' }),
    log_y: z.boolean().optional().meta({ description: 'Whether y has a logarithmic scale; not unless given.' }),
    smoothing: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({ description: 'How much of a point is made of those before it; 0 is none.' }),
    unit: unitSchema,
  })
  .meta({ id: 'ChartOptions' })

const tableOptions = z
  .strictObject({
    columns: z
      .array(z.string().min(1).max(200))
      .max(100)
      .optional()
      .meta({ description: 'Which columns, in this order; all unless given.' }),
    limit: countOf(1000).default(50).meta({ description: 'Rows, at most.' }),
  })
  .meta({ id: 'TableOptions' })

const imageOptions = z
  .strictObject({
    artifact: z
      .strictObject(artifactRefSchema.shape)
      .meta({ id: 'ImageArtifact' })
      .optional()
      .meta({ description: 'A stored picture, which is kept as long as it is shown.' }),
  })
  .meta({ id: 'ImageOptions' })

const textOptions = z
  .strictObject({
    markdown: z.string().max(100_000).meta({ description: 'Markdown without HTML: tags in it are text.' }),
  })
  .meta({ id: 'TextOptions' })

const buttonOptions = z
  .strictObject({
    value: z.json().default(true).meta({ description: 'What a click publishes.' }),
    label: titleSchema.optional().meta({ description: 'Text on the button.' }),
  })
  .meta({ id: 'ButtonOptions' })
const switchOptions = z
  .strictObject({
    on: z.json().default(true).meta({ description: 'What is published when it is switched on.' }),
    off: z.json().default(false).meta({ description: 'What is published when it is switched off.' }),
  })
  .meta({ id: 'SwitchOptions' })

const sliderOptions = z
  .strictObject({
    min: z.number().meta({ description: 'The smallest value.' }),
    max: z.number().meta({ description: 'The largest value; above `min`.' }),
    step: z.number().positive().default(1).meta({ description: 'Between two values.' }),
  })
  .refine(isOrdered, unordered)
  .meta({ id: 'SliderOptions' })

const inputOptions = z
  .strictObject({ placeholder: titleSchema.optional().meta({ description: 'Shown while nothing is typed.' }) })
  .meta({ id: 'InputOptions' })

const bindingSchema = z
  .strictObject({ message: messageRefSchema.meta({ description: 'Qualified: `<flow>.<message>`.' }) })
  .meta({ id: 'WidgetBinding' })

/** Columns of a grid, at most. */
const MAX_COLUMNS = 24
/** Rows of a grid, at most. */
const MAX_ROWS = 10_000

const widget = <const T extends string, O extends z.ZodType>(type: T, options: O) =>
  z
    .strictObject({
      id: nameSchema.meta({ description: 'Once in a dashboard.' }),
      type: z.literal(type).meta({ description: 'Decides what the options are.' }),
      title: titleSchema.default('').meta({ description: 'Text above it.' }),
      x: z
        .int()
        .min(0)
        .max(MAX_COLUMNS - 1)
        .meta({ description: 'Column of its left edge, from 0.' }),
      y: z.int().min(0).max(MAX_ROWS).meta({ description: 'Row of its upper edge, from 0.' }),
      w: countOf(MAX_COLUMNS).meta({ description: 'Columns that it takes.' }),
      h: countOf(MAX_ROWS).meta({ description: 'Rows that it takes.' }),
      binding: bindingSchema
        .nullable()
        .default(null)
        .meta({ description: 'The message that is shown, or published by a control.' }),
      source: chartSourceSchema.nullable().default(null).meta({ description: 'What charts and tables show besides.' }),
      options: options.meta({ description: 'What this type alone has.' }),
    })
    .meta({ id: `${type.charAt(0).toUpperCase()}${type.slice(1)}Widget` })

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
    columns: countOf(MAX_COLUMNS).default(12).meta({ description: 'Of the grid.' }),
    widgets: z
      .array(widgetSchema)
      .max(MAX_WIDGETS)
      .default([])
      .meta({ description: 'In no order: each has its place.' }),
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
  .meta({ id: 'DashboardContent', description: 'Widgets on a grid.' })
/** What a dashboard shows, in normal form. */
export type DashboardContent = z.output<typeof dashboardContentSchema>
/** What a dashboard shows, as clients write it. */
export type DashboardContentInput = z.input<typeof dashboardContentSchema>

/** A dashboard with its draft, or its published content. */
export const dashboardSchema = z
  .object({
    name: z.string().meta({ description: 'By which it is addressed.' }),
    title: z.string().meta({ description: 'For people; empty when it has none.' }),
    version: z.int().meta({ description: 'Grows with every change but a publish.' }),
    has_draft: z.boolean().meta({ description: 'Whether something is saved and not published.' }),
    published_version: z.int().nullable().meta({ description: 'What is published; null while nothing is.' }),
    is_draft: z.boolean().meta({ description: 'Whether title and content are those of the draft.' }),
    origin: z
      .enum(['api', 'code'])
      .meta({ description: 'Whether it was made over the API, or by code of the engine.' }),
    issues: z.array(issueSchema).meta({ description: 'What it names and nobody has; each a warning.' }),
    content: dashboardContentSchema.meta({ description: 'Its widgets and their grid.' }),
    created_at: timestampSchema.meta({ description: 'When it was made.' }),
    updated_at: timestampSchema.meta({ description: 'When it was saved or published last.' }),
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
  .strictObject({
    title: titleSchema.default('').meta({ description: 'For people.' }),
    content: dashboardContentSchema.prefault({}).meta({ description: 'Its widgets and their grid.' }),
  })
  .meta({
    id: 'DashboardCreate',
    examples: [
      {
        title: 'Climate',
        content: {
          widgets: [{ id: 'temp', type: 'value', x: 0, y: 0, w: 3, h: 2, binding: { message: 'climate.temp' } }],
        },
      },
    ],
  })
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
    title: titleSchema.optional().meta({ description: 'For people; what it is stays unless given.' }),
    content: dashboardContentSchema.optional().meta({ description: 'Its widgets and their grid.' }),
    version: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'The version that was read: refused when it is no longer that.' }),
  })
  .meta({ id: 'DashboardSave', examples: [{ title: 'Climate of the house', version: 3 }] })
/** What a save changes. */
export type DashboardSave = z.output<typeof dashboardSaveSchema>

/** Body of `POST /dashboards/{name}/publish`. */
export const dashboardPublishSchema = dashboardSaveSchema.pick({ version: true }).meta({ id: 'DashboardPublish' })
