/**
 * Settings of `http` (wire decision G68).
 * @module
 */
import * as z from 'zod'

import { credential, textOrSecret } from '../../secret.ts'

/** Settings of an `http` node as documents hold them. */
export const httpSettings = z.strictObject({
  url: z.string().min(1).max(2000).describe('Route path of a webhook; full URL of a request.'),
  method: z.enum(['GET', 'POST']).default('POST').describe('Method of the request, or the one the webhook takes.'),
  timeout: z.number().positive().max(86_400).default(30).describe('Seconds to wait for the answer; requests only.'),
  headers: z.record(z.string(), textOrSecret).default({}).describe('Headers of the request.'),
  query: z
    .record(z.string(), z.union([textOrSecret, z.number(), z.boolean()]))
    .default({})
    .describe('Fixed query parameters of the request; they win over inputs of the same name.'),
  send_inputs: z.boolean().default(true).describe('Send the inputs; otherwise they only trigger the request.'),
  durable: z
    .boolean()
    .default(false)
    .describe('Answer once the arrival is on the disk; it is delivered again after a crash. Webhooks only.'),
  secret: credential
    .nullable()
    .default(null)
    .meta({ 'x-secret': true, description: 'Last part of the webhook’s address; without it anyone may post.' }),
})

/** Settings of an `http` node in normal form. */
export type HttpSettings = z.infer<typeof httpSettings>

/** Where a webhook is mounted below its flow. */
export const routeOf = ({ url }: Pick<HttpSettings, 'url'>): string => url.replace(/^\//, '')
