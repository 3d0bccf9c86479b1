/**
 * Devices as the API shows them: records, ports, pairing (wire decisions G42-G44, U15).
 * @module
 */
import * as z from 'zod'

import { dtypeSchema } from './dtype.ts'
import { nameRule } from './name-rules.ts'
import { timestampSchema } from './time.ts'

/** Device ids that are words of the address space. */
export const reservedDeviceIds: ReadonlySet<string> = new Set(['pair', 'pending', 'runtime'])

/** Id of a device: as the name of a flow, without the reserved words. */
export const deviceIdSchema = z
  .string()
  .regex(nameRule.pattern, nameRule.remedy)
  .refine((value) => !reservedDeviceIds.has(value), {
    error: (issue) => `"${String(issue.input)}" is a reserved id of devices`,
  })

/** `in`: from the device to flows, an output of its node. `out`: from flows to the device, an input of its node. */
export const deviceDirectionSchema = z.enum(['in', 'out']).meta({
  id: 'DeviceDirection',
  description: '`in`: the device publishes it. `out`: the device follows it.',
})
/** Which way the values of a device's port go. */
export type DeviceDirection = z.infer<typeof deviceDirectionSchema>

/** A port as the last report of its device names it. */
export const devicePortSchema = z
  .object({
    name: z.string().meta({ description: 'As the device calls it.' }),
    direction: deviceDirectionSchema,
    dtype: dtypeSchema,
    on_demand: z.boolean().meta({ description: 'The device sends it only while somebody wants it.' }),
    title: z.string().nullable().meta({ description: 'For people; null when the report has none.' }),
    options: z.record(z.string(), z.json()).meta({ description: 'What else the report says of the port.' }),
  })
  .meta({ id: 'DevicePort' })
/** A port of a device. */
export type DevicePort = z.infer<typeof devicePortSchema>

/** A port as a device node of a published flow wires it. */
export const deviceBindingSchema = z
  .object({
    port: z.string().meta({ description: 'Of the device.' }),
    direction: deviceDirectionSchema,
    message: z.string().meta({ description: 'Qualified: `<flow>.<message>`.' }),
    dtype: dtypeSchema,
    interval: z.number().nullable().meta({ description: 'Seconds between two values.' }),
    on_demand: z.boolean().meta({ description: 'The device sends it only while somebody wants it.' }),
    flow: z.string().meta({ description: 'Name of the flow.' }),
    node: z.string().meta({ description: 'Id of its node.' }),
    config: z.record(z.string(), z.json()).meta({ description: 'For the device; the engine does not read it.' }),
  })
  .meta({ id: 'DeviceBinding' })
/** How a device node wires a port. */
export type DeviceBinding = z.infer<typeof deviceBindingSchema>

/** A device without its ports: what the list shows. */
export const deviceSchema = z
  .object({
    id: z.string().meta({ description: 'By which flows and the API address it.' }),
    name: z.string().meta({ description: 'For people.' }),
    board: z.string().nullable().meta({ description: 'What hardware it says that it is; null when it says nothing.' }),
    firmware: z
      .string()
      .nullable()
      .meta({ description: 'What software it says that it runs; null when it says nothing.' }),
    version: z.int().meta({ description: 'Of what people edit; reports and presence do not change it.' }),
    paired: z.boolean().meta({ description: 'Whether it has a credential.' }),
    online: z.boolean().meta({ description: 'Whether it is connected to an engine now.' }),
    last_seen: timestampSchema
      .nullable()
      .meta({ description: 'When it was connected last; null before the first time.' }),
    report: z.record(z.string(), z.json()).nullable().meta({ description: 'What the device last said that it has.' }),
    reported_at: timestampSchema.nullable().meta({ description: 'When it said so; null before the first time.' }),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'Device' })
/** A device without its ports. */
export type Device = z.infer<typeof deviceSchema>

/** One device: with the ports of its report, and how published flows wire them. */
export const deviceDetailSchema = deviceSchema
  .extend({
    io: z.array(devicePortSchema).meta({ description: 'The ports of its report.' }),
    bindings: z.array(deviceBindingSchema).meta({ description: 'How published flows wire them.' }),
  })
  .meta({ id: 'DeviceDetail' })
/** One device with its ports and their wiring. */
export type DeviceDetail = z.infer<typeof deviceDetailSchema>

/** Characters of what devices are called, at most. */
const MAX_TEXT = 200
/** Control characters, and those that turn the direction of what follows. */
const misleading = /[\p{Cc}\p{Bidi_Control}]/u
const textSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_TEXT)
  .refine((text) => !misleading.test(text), 'leave out control characters, and those that turn the direction of a text')

/** Body of `POST /devices/{id}`. */
export const deviceCreateSchema = z
  .strictObject({ name: textSchema.optional().meta({ description: 'The id unless given.' }) })
  .meta({ id: 'DeviceCreate' })

/** Body of `PUT /devices/{id}`; `version` is the one that was read. */
export const deviceSaveSchema = z
  .strictObject({
    version: z.int().min(1).meta({ description: 'The version that was read.' }),
    name: textSchema.optional().meta({ description: 'For people.' }),
  })
  .meta({ id: 'DeviceSave' })

/** Body of `PUT /devices/{id}/report`: any object; `devicePorts` reads the ports of it. */
export const deviceReportSchema = z
  .record(z.string(), z.json())
  .meta({ id: 'DeviceReport', examples: [{ ports: [{ name: 'temp', direction: 'in', dtype: 'float' }] }] })

/** Body of `POST /devices/pair`: what the device says of itself. */
export const pairingStartSchema = z
  .object({
    name: z.string().max(MAX_TEXT).optional().meta({ description: 'What it calls itself, for people.' }),
    board: z.string().max(MAX_TEXT).optional().meta({ description: 'What hardware it is.' }),
    firmware: z.string().max(MAX_TEXT).optional().meta({ description: 'What software it runs.' }),
  })
  .meta({ id: 'PairingStart' })
/** What a device says of itself when it asks to be paired. */
export type PairingStart = z.infer<typeof pairingStartSchema>

/** Answer to a start of pairing. The device shows `code` and `check`, and keeps `secret` to itself. */
export const pairingStartedSchema = z
  .object({
    code: z.string().meta({ description: 'Eight letters and digits, for a person to type.' }),
    secret: z.string().meta({ description: '256 bits in base64url, to poll with. Shown this once.' }),
    check: z.string().meta({ description: 'Two characters to compare: another device has others.' }),
    expires_at: timestampSchema,
  })
  .meta({ id: 'PairingStarted' })
/** What a device gets when it asks to be paired. */
export type PairingStarted = z.infer<typeof pairingStartedSchema>

const adoptedSchema = z
  .object({
    id: z.string().meta({ description: 'Of the device, from now on.' }),
    name: z.string().meta({ description: 'For people.' }),
    credential: z.string().meta({ description: 'The bearer token of the device, 256 bits in base64url.' }),
    ws_path: z.literal('/flows/ws').meta({ description: 'Below the base URL.' }),
  })
  .meta({ id: 'AdoptedDevice' })

/** Answer to a poll; `panel` is `device` under the name that older firmware knows. */
export const pairingPollSchema = z
  .object({
    status: z.enum(['waiting', 'adopted']).meta({ description: '`adopted`: somebody has let it in.' }),
    device: adoptedSchema.nullable().meta({ description: 'What it is from now on; null while it waits.' }),
    panel: adoptedSchema.nullable().meta({ description: 'The same, under the name that older firmware knows.' }),
  })
  .meta({ id: 'PairingPoll' })
/** How far a pairing is. */
export type PairingPoll = z.infer<typeof pairingPollSchema>

/** A device that waits to be adopted, without its code. */
export const pendingDeviceSchema = z
  .object({
    id: z.string().meta({ description: 'Of the request: adopts it from the network where it was made.' }),
    check: z.string().meta({ description: 'Two characters, which the device shows too.' }),
    name: z.string().nullable().meta({ description: 'What it calls itself; null when it does not say.' }),
    board: z.string().nullable().meta({ description: 'What hardware it says that it is; null when it says nothing.' }),
    firmware: z
      .string()
      .nullable()
      .meta({ description: 'What software it says that it runs; null when it says nothing.' }),
    same_network: z.boolean().meta({ description: 'Whether the caller may adopt it by `id`, without its code.' }),
    created_at: timestampSchema,
    expires_at: timestampSchema,
  })
  .meta({ id: 'PendingDevice' })
/** A device that waits to be adopted. */
export type PendingDevice = z.infer<typeof pendingDeviceSchema>

/** What waits on a code, to be compared before it is adopted. */
export const pairingPreviewSchema = pendingDeviceSchema
  .pick({ name: true, board: true, firmware: true, check: true, created_at: true })
  .meta({ id: 'PairingPreview' })
/** What waits on a code. */
export type PairingPreview = z.infer<typeof pairingPreviewSchema>

/** Body of `POST /devices/{id}/pair`: the code that the device shows, or the id of a pending request. */
export const pairRequestSchema = z
  .union([
    z.strictObject({ code: z.string().meta({ description: 'What the device shows.' }) }).meta({ id: 'PairByCode' }),
    z
      .strictObject({ request: z.string().meta({ description: 'Id of a pending request.' }) })
      .meta({ id: 'PairByRequest' }),
  ])
  .meta({ id: 'PairRequest' })
/** Which request is adopted. */
export type PairRequest = z.infer<typeof pairRequestSchema>
