/**
 * `file`: reads and writes files of the engine's files directory (wire decision G75).
 * @module
 */
import {
  defineNode,
  FileError,
  filePathFault,
  type NodeFinding,
  type NodePort,
  type NodeShape,
} from '@flow-service/connector-sdk'
import { compatible, describeValue, MAX_JSON_DEPTH } from '@flow-service/protocol'
import * as z from 'zod'

import { isDeeper } from '../../json-depth.ts'
import { valueText } from '../../value-text.ts'

const settings = z.strictObject({
  path: z.string().min(1).describe('Path below the files directory, with "/" between folders, such as "log/hall.txt".'),
  mode: z
    .enum(['read', 'write', 'append'])
    .default('read')
    .describe('Read the whole file on each arrival, replace it by the value, or add the value to its end.'),
  format: z
    .enum(['text', 'json'])
    .default('text')
    .describe('Text in UTF-8, or JSON. As text, values that are none are written as JSON.'),
  newline: z.boolean().default(true).describe('End each record that is written with a line break.'),
})
type Settings = z.infer<typeof settings>
type Shape = NodeShape<Settings>

/** Reads, writes or appends to one file. */
export const fileNode = defineNode({
  type: 'file',
  title: 'File',
  description: 'Reads or writes a file of the engine’s files directory; paths stay inside it.',
  category: 'system',
  settings,
  arrival: 'each',
  // a record that was added may have been added before the crash
  idempotent: ({ settings: { mode } }) => mode !== 'append',
  check: (shape) => [...pathFindings(shape), ...(isReader(shape) ? readerFindings : writerFindings)(shape)],

  start({ settings: given, outputs, files }) {
    const { path, mode } = given
    if (mode === 'read') {
      const output = outputs[0]?.port ?? ''
      const read = async () => ({ [output]: contentOf(given, await files.read(path)) })
      return { onValue: read, onTrigger: read }
    }
    return { onValue: (_port, value) => files[mode](path, recordOf(given, value)) }
  },
})

const isReader = ({ settings: { mode } }: Shape): boolean => mode === 'read'

function contentOf({ path, format }: Settings, bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes)
  if (format === 'text') return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new FileError('unusable', `the file "${path}" holds no JSON: ${(error as Error).message}`)
  }
  if (isDeeper(value, MAX_JSON_DEPTH))
    throw new FileError('unusable', `the file "${path}" holds more than ${MAX_JSON_DEPTH} levels of JSON`)
  return value
}

function recordOf({ format, newline }: Settings, value: unknown): Uint8Array {
  const text = format === 'json' ? JSON.stringify(value) : valueText(value)
  return new TextEncoder().encode(newline ? `${text}\n` : text)
}

function pathFindings({ settings: { path } }: Shape): NodeFinding[] {
  const fault = filePathFault(path)
  return fault === null
    ? []
    : [{ code: 'bad_setting', path: '/settings/path', message: `the path ${describeValue(path)} ${fault}` }]
}

function readerFindings({ settings: { format }, outputs }: Shape): NodeFinding[] {
  const [output] = outputs
  if (output === undefined || outputs.length > 1) {
    const message = `a file that is read has one output for its content, not ${outputs.length}; add or remove ports`
    return [{ code: 'unsupported_ports', message }]
  }
  return format === 'json' || compatible('str', output.dtype) ? [] : [noText(output)]
}

const noText = ({ port, dtype }: NodePort): NodeFinding => ({
  code: 'dtype_mismatch',
  path: '/outputs/0/dtype',
  message: `output "${port}" is ${dtype}, but the file is read as text; make the port a str, or the format json`,
})

function writerFindings({ settings: { mode }, inputs, outputs }: Shape): NodeFinding[] {
  if (inputs.length > 0 && outputs.length === 0) return []
  const message = `a file in mode ${mode} takes inputs and has no outputs; change its ports, or the mode`
  return [{ code: 'unsupported_ports', message }]
}
