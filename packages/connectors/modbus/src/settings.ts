/**
 * Settings of a Modbus node: where the unit is, and its registers by the ports that carry them.
 * @module
 */
import { ConnectorParams } from '@flow-service/connector-sdk'
import * as z from 'zod'

const wordOrder = z.enum(['big', 'little'])

const registerSchema = z.strictObject({
  area: z
    .enum(['holding', 'input', 'coil', 'discrete'])
    .default('holding')
    .describe('The table it is in: holding or input registers, coils or discrete inputs.'),
  address: z
    .int()
    .min(0)
    .max(65_535)
    .describe('As it goes over the wire, from 0: "40001" of a manual is holding register 0.'),
  type: z
    .enum(['uint16', 'int16', 'uint32', 'int32', 'float32', 'float64', 'bool'])
    .optional()
    .describe('What it holds; uint16 unless given, and bool for coils and discrete inputs.'),
  word_order: wordOrder.optional().describe('Of this register, in place of that of the node.'),
  scale: z.number().default(1).describe('The value is what the register holds times scale, plus offset.'),
  offset: z.number().default(0).describe('What is added after scaling.'),
  writable: z.boolean().default(false).describe('Whether an input port may write it.'),
  min: z.number().optional().describe('The least value that is written.'),
  max: z.number().optional().describe('The greatest value that is written.'),
})

/** A register as documents have it, with its defaults. */
export type RegisterSettings = z.output<typeof registerSchema>

/** Settings of a `modbus` node. */
export const modbusSettings = ConnectorParams.extend({
  poll_interval: ConnectorParams.shape.poll_interval.default(5),
  host: z.string().min(1).max(253).describe('Name or address of the device or gateway.'),
  port: z.int().min(1).max(65_535).default(502).describe('TCP port.'),
  unit: z.int().min(0).max(255).default(1).describe('Unit behind the address, also called slave or server address.'),
  timeout: z.number().min(0.1).max(60).default(3).describe('Seconds until a request is given up.'),
  word_order: wordOrder.default('big').describe('Which word of a value of several registers comes first.'),
  registers: z
    .record(z.string().min(1).max(100), registerSchema)
    .refine((registers) => Object.keys(registers).length > 0, { error: 'name at least one register' })
    .describe('Registers by the names of the ports that carry their values.'),
})

/** Settings of a `modbus` node with their defaults. */
export type ModbusSettings = z.output<typeof modbusSettings>
