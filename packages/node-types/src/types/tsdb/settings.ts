/**
 * Settings of `tsdb` (wire decision G71).
 * @module
 */
import * as z from 'zod'

import { credential } from '../../secret.ts'

const name = z.string().min(1).max(500)
const tags = z.record(name, z.union([z.string(), z.number(), z.boolean()])).default({})

/** A span of time before now, in Flux. */
const range = z.string().regex(/^-(\d{1,9}(ns|us|ms|mo|s|m|h|d|w|y))+$/, 'use a span before now, such as -1h or -7d')

const writeSchema = z.strictObject({
  measurement: name.describe('Measurement of the points.'),
  field: name.default('value').describe('Field that holds the value.'),
  tags: tags.describe('Tags of the points.'),
})

const querySchema = z.strictObject({
  measurement: name.describe('Measurement to read.'),
  field: name.describe('Field to read.'),
  tags: tags.describe('Tags that the points have.'),
  range: range.nullable().default(null).describe('Window of this query, such as -1h; empty takes query_range.'),
  aggregation: z
    .enum(['last', 'mean', 'min', 'max', 'sum', 'count'])
    .nullable()
    .default(null)
    .describe('What to make of the points of the window; empty takes the last one.'),
})

/** Settings of a `tsdb` node as documents hold them. */
export const tsdbSettings = z.strictObject({
  url: z.string().min(1).max(2000).describe('URL of the server.'),
  token: credential.nullable().default(null).meta({ 'x-secret': true, description: 'API token.' }),
  org: name.describe('Organization.'),
  bucket: name.describe('Bucket to write to and to read from.'),
  write_precision: z.enum(['ns', 'us', 'ms', 's']).default('ms').describe('Unit of the timestamps that are written.'),
  query_range: range.default('-1h').describe('Window of queries that have none of their own, such as -1h.'),
  timeout: z.number().positive().max(86_400).default(10).describe('Seconds to wait for the answers to one arrival.'),
  writes: z.record(z.string(), writeSchema).default({}).describe('Per input port: where its values are written.'),
  queries: z.record(z.string(), querySchema).default({}).describe('Per output port: what is read for it.'),
})

/** Settings of a `tsdb` node in normal form. */
export type TsdbSettings = z.infer<typeof tsdbSettings>
