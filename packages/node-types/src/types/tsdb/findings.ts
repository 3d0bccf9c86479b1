/**
 * Checks of a `tsdb` node beyond the schema of its settings (wire decision G71).
 * @module
 */
import type { NodeFinding, NodeShape } from '@flow-service/connector-sdk'
import { compatible } from '@flow-service/protocol'

import { addressFindings } from '../../server-address.ts'
import { nameFault, type Series } from './line.ts'
import type { TsdbSettings } from './settings.ts'

type Shape = NodeShape<TsdbSettings>

/** Everything that would keep the node from writing or reading. */
export const tsdbFindings = (shape: Shape): NodeFinding[] => [
  ...addressFindings('url', shape.settings.url),
  ...inputFindings(shape),
  ...outputFindings(shape),
  ...Object.entries(shape.settings.writes).flatMap(([port, series]) => seriesFindings(port, series)),
]

function inputFindings({ settings: { writes }, inputs, outputs }: Shape): NodeFinding[] {
  if (inputs.length + outputs.length === 0)
    return [
      { code: 'unsupported_ports', message: 'a tsdb node needs ports; add inputs to write, outputs to read into' },
    ]
  const unknown = Object.keys(writes).filter((name) => !inputs.some(({ port }) => port === name))
  const idle = outputs.length > 0 ? [] : inputs.filter(({ port }) => !Object.hasOwn(writes, port))
  return [
    ...unknown.map((name) =>
      bad('writes', `writes names "${name}", but there is no such input; add it or remove this`),
    ),
    ...idle.map(({ port }) => bad('writes', `input "${port}" is written nowhere; give it a measurement in writes`)),
  ]
}

function outputFindings({ settings: { queries }, inputs, outputs }: Shape): NodeFinding[] {
  const unknown = Object.keys(queries).filter((name) => !outputs.some(({ port }) => port === name))
  return [
    ...unknown.map((name): NodeFinding => ({
      code: 'unknown_output',
      path: '/settings/queries',
      message: `queries names "${name}", but there is no such output; add it or remove this`,
    })),
    ...outputs.flatMap(({ port, dtype }, at): NodeFinding[] => {
      if (Object.hasOwn(queries, port)) return []
      // the first output takes the rows of queries that arrive
      if (at > 0 || inputs.length === 0)
        return [bad('queries', `output "${port}" has no query; give it one in queries`)]
      if (compatible('object', dtype)) return []
      const message = `output "${port}" is ${dtype}, but takes the rows of a query; make it an object, or give it a query`
      return [{ code: 'dtype_mismatch', message, path: `/outputs/${at}/dtype` }]
    }),
  ]
}

function seriesFindings(port: string, { measurement, field, tags }: Series): NodeFinding[] {
  const names: [what: string, text: string][] = [
    ['measurement', measurement],
    ['field', field],
    ...Object.entries(tags).flatMap(([key, value]): [string, string][] => [
      ['tag', key],
      [`tag "${key}"`, String(value)],
    ]),
  ]
  const findings = names.flatMap(([what, text]) => {
    const fault = nameFault(text)
    return fault === null ? [] : [bad('writes', `the ${what} of input "${port}" ${fault}; correct it`)]
  })
  if (measurement.startsWith('#'))
    findings.push(bad('writes', `the measurement of input "${port}" begins with "#", as a comment does; rename it`))
  return findings
}

const bad = (setting: string, message: string): NodeFinding => ({
  code: 'bad_setting',
  path: `/settings/${setting}`,
  message,
})
