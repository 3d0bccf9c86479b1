/**
 * Alerts: what the engine watches itself for, and where it tells of it (wire decisions G50, U8).
 * @module
 */
import * as z from 'zod'

import { secretRefSchema } from './secret.ts'
import { timestampSchema } from './time.ts'
import { alertChannels, alertEvents, meaningOfAlert } from './words.ts'

/** What an alert is about. */
const alertEventSchema = z
  .enum(alertEvents, { error: ({ input }) => `${JSON.stringify(input)} is not one of ${alertEvents.join(', ')}` })
  .meta({
    id: 'AlertEvent',
    description: alertEvents.map((event) => `- \`${event}\`: ${meaningOfAlert(event)}`).join('\n'),
  })

const enabled = z.boolean().default(false)

const webhookSchema = z.strictObject({
  enabled: enabled.meta({ description: 'Whether alerts go there.' }),
  url: z.string().min(1).max(2000).nullable().default(null).meta({
    description: 'Gets a POST of JSON for each alert. Every user can read it; a credential belongs into a header.',
  }),
  headers: z
    .record(z.string(), z.union([z.string().max(4000), secretRefSchema]))
    .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `use at most 20 headers`)
    .default({})
    .meta({ description: 'Sent along; those with a credential as `{"$secret": "name"}`.' }),
})

/** Headers of a webhook. */
const MAX_HEADERS = 20

const pushSchema = z.strictObject({
  enabled: enabled.meta({ description: 'Whether alerts go there.' }),
  server: z.string().min(1).max(2000).default('https://ntfy.sh').meta({ description: 'A push server of ntfy’s kind.' }),
  topic: z
    .string()
    .regex(/^[-_A-Za-z0-9]{1,64}$/, 'use 1 to 64 letters, digits, "-" and "_"')
    .nullable()
    .default(null)
    .meta({ description: 'Topic that receivers have subscribed to.' }),
  token: secretRefSchema.nullable().default(null).meta({ description: 'Access token, for a protected topic.' }),
})

const emailSchema = z.strictObject({
  enabled: enabled.meta({ description: 'Whether alerts go there.' }),
  to: z
    .array(z.email({ error: 'give it an e-mail address' }).max(254))
    .max(20)
    .default([])
    .meta({ description: 'Addresses that each get a mail.' }),
})

const configSchema = z.strictObject({
  enabled: enabled.meta({ description: 'Whether any alert is sent.' }),
  min_interval_s: z.number().min(0).max(604_800).default(300).meta({
    description:
      'Seconds from one message to the next about the same thing. What happens between is counted, and told at the end as one message.',
  }),
  events: z
    .array(alertEventSchema)
    .default([...alertEvents])
    .transform((events) => alertEvents.filter((event) => events.includes(event)))
    .pipe(z.array(alertEventSchema))
    .meta({ description: 'What alerts are sent about; all unless given.' }),
  channels: z
    .strictObject({
      webhook: webhookSchema.prefault({}).meta({ description: 'Requests to an address.' }),
      push: pushSchema.prefault({}).meta({ description: 'Messages to telephones.' }),
      email: emailSchema.prefault({}).meta({ description: 'Mails.' }),
    })
    .prefault({})
    .meta({ description: 'Where alerts go.' }),
})

/** The configuration of alerts, which is read and replaced as a whole. */
export const alertConfigSchema = configSchema.meta({ id: 'AlertConfig' })
/** The configuration of alerts. */
export type AlertConfig = z.output<typeof configSchema>

/** As clients write it: what is left out has its default. */
export const alertConfigInputSchema = configSchema.meta({ id: 'AlertConfigInput' })

/** What became of a message to a channel that tests it. */
export const alertTestResultSchema = z
  .object({
    channel: z.enum(alertChannels).meta({ description: 'That was tested.' }),
    ok: z.boolean().meta({ description: 'Whether the other side has taken it.' }),
    detail: z.string().nullable().meta({ description: 'Why it could not be sent; null when it was.' }),
  })
  .meta({ id: 'AlertTestResult' })
/** What became of a message to a channel that tests it. */
export type AlertTestResult = z.infer<typeof alertTestResultSchema>

/** What a webhook gets; `test` is sent by `POST /alerts/test/webhook` alone. */
export const alertMessageSchema = z
  .object({
    event: z.union([alertEventSchema, z.literal('test')]).meta({ description: 'What it is about.' }),
    severity: z.enum(['info', 'warning', 'error']).meta({ description: '`info` is a test.' }),
    title: z.string().meta({ description: 'A line for people.' }),
    detail: z.string().nullable().meta({ description: 'More of it; null when there is none.' }),
    flow: z.string().nullable().meta({ description: 'Name of the flow that it is about; null without one.' }),
    node: z.string().nullable().meta({ description: 'Id of the node; null without one.' }),
    run: z.string().nullable().meta({ description: 'Id of the run; null without one.' }),
    ts: timestampSchema.meta({ description: 'When it happened last.' }),
    count: z.int().meta({ description: 'How often it has happened since the message before about the same thing.' }),
  })
  .meta({ id: 'AlertMessage' })
/** What a webhook gets. */
export type AlertMessage = z.infer<typeof alertMessageSchema>
