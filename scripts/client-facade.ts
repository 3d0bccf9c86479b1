/**
 * Writes the client's operations in camelCase: what `client.runs.list({ flow })` is, over the generated functions that take
 * and answer what is on the wire. `generate.ts` calls it. Path parameters are positional, in their order; a body that is no
 * object of named properties, and a flow document, come next; query and body properties are one object of options.
 * @module
 */

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}
interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly {
    readonly in: string
    readonly name: string
    readonly required?: boolean
    readonly description?: string
    readonly schema?: Schema
  }[]
  readonly requestBody?: Content & { readonly required?: boolean }
  readonly responses: Readonly<Record<string, Content>>
}
/** The parts of an OpenAPI document that are read here. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Operations whose types depend on a flow, a message or on other arguments; client-sdk has them in files of their own. */
const WRITTEN = new Set([
  'runs.submit',
  'runs.sweep',
  'runs.plan',
  'runs.metrics',
  'metrics.compare',
  'messages.publish',
  'artifacts.put',
])
const EXTENDED = new Set([...WRITTEN].map((id) => id.split('.')[0]))

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const pascal = (name: string): string =>
  camel(name.replaceAll('.', '_')).replace(/^./, (letter) => letter.toUpperCase())

/** The text of the file. Throws when a name of the API cannot be told from its camelCase. */
export function clientFacade(document: ApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  )
  const groups = new Map<string, Method[]>()
  for (const { path, operation } of operations) {
    const [group, name] = splitId(operation.operationId)
    // a group of groups is one too, also without an operation of its own
    for (const outer of outerGroups(group)) if (!groups.has(outer)) groups.set(outer, [])
    if (!WRITTEN.has(operation.operationId)) groups.get(group)!.push(methodOf(document, path, operation, name))
  }
  const classes = [...groups]
    .toSorted(([a], [b]) => depth(b) - depth(a))
    .map(([group, methods]) => classOf(groups, group, methods))
  const plain = [...groups.keys()].filter((group) => depth(group) === 1 && !EXTENDED.has(group))
  return `// Generated from api-server/openapi.json by \`npm run generate\`; do not edit.
import { type ArtifactNamed, type FlowNamed, type MessageNamed, type Received, type Request, type RunNamed, artifactName, flowName, messageName, requestOf, runName, wireOf } from '../call.ts'
import type { GeneratedClient } from './sdk.gen.ts'
import type * as wire from './types.gen.ts'

${[...groups.values()]
  .flat()
  .flatMap(({ options }) => options ?? [])
  .join('\n\n')}

${classes.join('\n\n')}

/** The groups of operations whose types are those of the wire. */
export class Operations {
  /** The generated functions, which take and answer what is on the wire. */
  readonly http: GeneratedClient
${plain.map((group) => `  readonly ${group}: ${pascal(group)}Calls`).join('\n')}

  constructor(http: GeneratedClient) {
    this.http = http
${plain.map((group) => `    this.${group} = new ${pascal(group)}Calls(http)`).join('\n')}
  }
}
`
}

interface Method {
  readonly text: string
  readonly options?: string
}
interface Option {
  readonly name: string
  readonly required: boolean
  readonly type: string
  readonly about: readonly string[]
}

const depth = (group: string): number => group.split('.').length

function splitId(id: string): [group: string, name: string] {
  const at = id.lastIndexOf('.')
  return [id.slice(0, at), id.slice(at + 1)]
}

const outerGroups = (group: string): string[] =>
  group.split('.').map((_, at, parts) => parts.slice(0, at + 1).join('.'))

function classOf(groups: ReadonlyMap<string, unknown>, group: string, methods: readonly Method[]): string {
  const inner = [...groups.keys()].filter((name) => name.startsWith(`${group}.`) && depth(name) === depth(group) + 1)
  const fields = inner.map((name) => `  readonly ${name.split('.').at(-1)}: ${pascal(name)}Calls\n`).join('')
  const made = inner.map((name) => `    this.${name.split('.').at(-1)} = new ${pascal(name)}Calls(http)\n`).join('')
  return `/** Operations of \`${group}\`. */
export class ${pascal(group)}Calls {
  protected readonly http: GeneratedClient
${fields}
  constructor(http: GeneratedClient) {
    this.http = http
${made}  }
${methods.map(({ text }) => `\n${text}\n`).join('')}}`
}

function methodOf(document: ApiDocument, path: string, operation: Operation, name: string): Method {
  const id = operation.operationId
  const named = (operation.parameters ?? []).filter(({ in: where }) => where === 'path')
  const body = bodyOf(document, operation)
  const options = optionsOf(operation, body)
  const json = Object.values(operation.responses).every(({ content = {} }) =>
    Object.keys(content).every((type) => type.endsWith('json')),
  )
  const base = json ? 'Request' : 'Received'
  const optionsName = options.length > 0 ? `${pascal(id)}Options` : base
  const whole = body !== undefined && body.properties === undefined
  const flow = body === FLOW
  const given = named.map((parameter) => positional(path, parameter))
  const values = [
    // a name of both is told apart by where it stands
    ...given.flatMap(({ key, value }) => {
      if (!body?.properties?.[key]) return [key === value ? key : `${key}: ${value}`]
      return [`path_${key}: ${value}`, `body_${key}: options.${camel(key)}`]
    }),
    ...(whole ? [flow ? 'flowDocument: document' : 'body'] : []),
  ]
  const open = options.some(({ required }) => required) ? '' : ' = {}'
  const parameters = [
    ...given.map(({ argument, type }) => `${argument}: ${type}`),
    ...(whole
      ? [`${flow ? 'document' : 'body'}${operation.requestBody?.required ? '' : '?'}: wire.${pascal(id)}Data['body']`]
      : []),
    `options: ${optionsName}${open}`,
  ]
  const taken = values.length > 0 || options.length > 0
  const call = `this.http.${id}(${taken ? `wireOf(options${values.length > 0 ? `, { ${values.join(', ')} }` : ''}), ` : ''}requestOf(options))`
  const about = comment([operation.summary ?? id, ...(operation.description ? ['', operation.description] : [])], '  ')
  const text = `${about}\n  ${name}(${parameters.join(', ')}): Promise<wire.${pascal(id)}Response> {\n    return ${call}\n  }`
  if (options.length === 0) return { text }
  const lines = options.map(({ name: option, required, type, about: said }) =>
    [...(said.length > 0 ? [comment(said, '  ')] : []), `  readonly ${option}${required ? '' : '?'}: ${type}`].join(
      '\n',
    ),
  )
  return {
    text,
    options: `/** Options of \`${id}\`. */\nexport interface ${optionsName} extends ${base} {\n${lines.join('\n')}\n}`,
  }
}

/** How a path parameter is given: by a name, or by what has it. */
function positional(
  path: string,
  { name, schema }: { readonly name: string; readonly schema?: Schema },
): { key: string; argument: string; type: string; value: string } {
  const before = path
    .slice(0, path.indexOf(`{${name}}`))
    .split('/')
    .at(-2)
  const argument = camel(name)
  const by = (type: string, read: string) => ({ key: name, argument, type, value: `${read}(${argument})` })
  if (before === 'flows' || before === 'from-flow')
    return { ...by('FlowNamed', 'flowName'), argument: 'flow', value: 'flowName(flow)' }
  if (before === 'runs') return { ...by('RunNamed', 'runName'), argument: 'run', value: 'runName(run)' }
  if (before === 'messages') return by('MessageNamed', 'messageName')
  if (before === 'artifacts')
    return { ...by('ArtifactNamed', 'artifactName'), argument: 'artifact', value: 'artifactName(artifact)' }
  return { key: name, argument, type: schema?.type === 'integer' ? 'number' : 'string', value: argument }
}

/** A flow document has a `name` of its own. */
const FLOW: Schema = {}

/** The schema of a body; a flow document is one argument, and so is what has no named properties. */
function bodyOf(document: ApiDocument, operation: Operation): Schema | undefined {
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  const name = schema?.$ref?.split('/').at(-1)
  if (name === 'FlowDocument') return FLOW
  return name ? document.components.schemas[name] : schema
}

function optionsOf(operation: Operation, body: Schema | undefined): Option[] {
  const id = pascal(operation.operationId)
  const query = (operation.parameters ?? [])
    .filter(({ in: where }) => where === 'query')
    .map((parameter) => ({
      name: optionName(parameter.name),
      required: parameter.required === true,
      type: optionType(parameter.name, `NonNullable<wire.${id}Data['query']>['${parameter.name}']`, 'string | '),
      about: said({ ...parameter.schema, description: parameter.description ?? parameter.schema?.description }),
    }))
  const properties = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name: optionName(name),
    required: body?.required?.includes(name) === true,
    type: optionType(name, `NonNullable<wire.${id}Data['body']>['${name}']`, ''),
    about: said(schema),
  }))
  return [...query, ...properties]
}

/** The runs of a list, and the flow of a filter, may be given as what has their names. */
function optionType(name: string, type: string, also: string): string {
  if (name === 'ids') return `${also}readonly RunNamed[]`
  return name === 'flow' ? 'FlowNamed' : type
}

function optionName(name: string): string {
  const option = camel(name)
  const back = option.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  if (back === name && !['signal', 'headers', 'parseAs'].includes(option)) return option
  throw new Error(
    `the client cannot name "${name}" in camelCase: "${option}" is "${back}" on the wire, or of the request`,
  )
}

const said = ({ description, default: initial }: { description?: string | undefined; default?: unknown }): string[] => [
  ...(description ? [description] : []),
  ...(initial === undefined ? [] : [`@default ${JSON.stringify(initial)}`]),
]

function comment(lines: readonly string[], indent: string): string {
  const safe = lines.flatMap((line) => line.replaceAll('*/', '*\\/').split('\n'))
  if (safe.length === 1) return `${indent}/** ${safe[0]} */`
  return [`${indent}/**`, ...safe.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n')
}
