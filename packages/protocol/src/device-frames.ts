/**
 * Text frames of a device on `/flows/ws` (wire decisions G45, U16). Both sides ignore types that they do not know.
 * Pictures travel as binary frames: `binary-frame.ts`.
 * @module
 */
import * as z from 'zod'

import { deviceBindingSchema } from './device.ts'
import { timestampSchema } from './time.ts'

const valueFields = { message: z.string(), port: z.string(), value: z.json() }

/** First frame, and again whenever the wiring changes: everything that a device has to know. */
export const deviceSnapshotFrameSchema = z.object({
  type: z.literal('snapshot'),
  device: z.string().meta({ description: 'Its id.' }),
  bindings: z.array(deviceBindingSchema),
  values: z
    .array(z.object({ ...valueFields, ts: timestampSchema.nullable() }))
    .meta({ description: 'Last values of its `out` ports; `ts` is null for an initial one.' }),
  demand: z.array(z.string()).meta({ description: 'Its `on_demand` ports that somebody wants now.' }),
  uplink: z.enum(['binary', 'http']).meta({ description: 'How it sends pictures.' }),
})
/** Everything that a device has to know. */
export type DeviceSnapshotFrame = z.infer<typeof deviceSnapshotFrameSchema>

/** An `out` port has a new value. */
export const deviceValueFrameSchema = z.object({ type: z.literal('value'), ...valueFields, ts: timestampSchema })
/** A new value of an `out` port. */
export type DeviceValueFrame = z.infer<typeof deviceValueFrameSchema>

/** The `on_demand` ports that somebody wants now, in place of those before. */
export const deviceDemandFrameSchema = z.object({ type: z.literal('demand'), ports: z.array(z.string()) })

/** A publication with an `id` is committed; `ts` is null when the interval of the port holds the value back. */
export const devicePublishedFrameSchema = z.object({
  type: z.literal('published'),
  id: z.string(),
  ts: timestampSchema.nullable(),
})

/** Why a frame of the device was refused. */
export const deviceErrorCodes = [
  'malformed_frame',
  'unknown_frame',
  'message_not_declared',
  'forbidden',
  'validation_failed',
  'wrong_mode',
  'payload_too_large',
  'rate_limited',
  'unavailable',
] as const
/** Why a frame of the device was refused. */
export type DeviceErrorCode = (typeof deviceErrorCodes)[number]

/** A text frame was refused; `id` is that of the publication, if it had one. The socket stays open. */
export const deviceErrorFrameSchema = z.object({
  type: z.literal('error'),
  id: z.string().optional(),
  code: z.enum(deviceErrorCodes),
  detail: z.string(),
})

/** Any text frame from the engine to a device. */
export const deviceFrameSchema = z.discriminatedUnion('type', [
  deviceSnapshotFrameSchema,
  deviceValueFrameSchema,
  deviceDemandFrameSchema,
  devicePublishedFrameSchema,
  deviceErrorFrameSchema,
])
/** Any text frame from the engine to a device; `type` tells which. */
export type DeviceFrame = z.infer<typeof deviceFrameSchema>

/** Longest `id` of a publication. */
const MAX_ID = 64
const publishId = z.string().min(1).max(MAX_ID).optional()

/** A device publishes a value: on a message, or on all messages that a port of it is wired to. */
export const devicePublishSchema = z.union([
  z.object({ type: z.literal('publish'), message: z.string(), value: z.json(), id: publishId }),
  z.object({ type: z.literal('publish'), port: z.string(), value: z.json(), id: publishId }),
])
/** A publication of a device. */
export type DevicePublish = z.infer<typeof devicePublishSchema>
