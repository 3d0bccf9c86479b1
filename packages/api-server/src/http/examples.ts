/**
 * An example for each body and answer of the API's description, made from its schemas: `openapi.ts` adds them. Members
 * that say little by their type have telling values here, by component and name; all others follow from the schema, so
 * that an example never differs from it. A schema whose members depend on each other has an example of its own, as
 * `.meta({ examples: [...] })`.
 * @module
 */

/** A JSON Schema, as far as examples read it. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
}

/** Values of members by `Component.member`, or by their name alone. */
const told: Readonly<Record<string, unknown>> = {
  'AlertConfig.enabled': true,
  'AlertConfigInput.enabled': true,
  'AlertConfigInput.min_interval_s': 300,
  'DashboardPublish.version': 3,
  'DeviceCreate.name': 'Panel in the hall',
  'DuplicateRequest.name': 'heating',
  'FlavorUpdate.cpus': 4,
  'FlowRunRequest.inputs': { temp: 21.5 },
  'PairingStart.board': 'esp32-s3',
  'PairingStart.firmware': '1.4.0',
  'PairingStart.name': 'Panel in the hall',
  'ReplayRequest.flow': 'climate',
  'ReplayRequest.reason': 'expired',
  'RunSubmit.params': { lr: 0.01 },
  'RunSubmit.seed': 7,
  'ShareRequest.name': 'smooth',
  'TriggerRequest.values': { temp: 21.5 },
  'UserUpdate.is_active': false,
  'WidgetOutput.id': 'temp',
  'ApiKey.name': 'ci',
  'ApiKeyMinted.key': 'fsk_4Jx0aZ9q…',
  'ApiKeyMinted.name': 'ci',
  'ApiKeyRequest.name': 'ci',
  'ApiKeyRequest.scopes': ['runs:read', 'runs:write'],
  'ArtifactRef.name': 'plot.png',
  'ArtifactUploadBody.media_type': 'application/octet-stream',
  'ArtifactUploadBody.name': 'model.pt',
  'ArtifactUpload.url': 'https://bucket.s3.example.org/runs/9f86…?X-Amz-Signature=…',
  'Checks.status': 'ok',
  'CodeEntry.export': 'draw',
  'ConnectorReport.version': '1.2.0',
  'DashboardListItem.issues': [],
  'DeviceDetail.name': 'Panel in the hall',
  'AdoptedDevice.id': 'panel',
  'Device.id': 'panel',
  'DeviceDetail.id': 'panel',
  'PendingDevice.id': '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a01',
  'Worker.id': '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a01',
  'ProvisionerTestStep.detail': 'job 4711',
  'ConnectorReport.node_types': ['example'],
  'Device.name': 'Panel in the hall',
  'AdoptedDevice.name': 'Panel in the hall',
  'PendingDevice.name': 'Panel in the hall',
  'PairingPreview.name': 'Panel in the hall',
  'DevicePort.name': 'temp',
  'Engine.name': 'flows-1/4711',
  'Engine.self': true,
  'Engine.version': '1.4.0',
  'Flavor.name': 'large',
  'FlavorCreate.name': 'large',
  'FlowGraphNode.id': 'flow:climate',
  'FlowGraphEdge.from': 'flow:climate',
  'FlowGraphEdge.messages': ['climate.temp'],
  'FlowGraphEdge.to': 'flow:heating',
  'FlowInput.name': 'temp',
  'FlowOutput.name': 'mean',
  'Health.status': 'ok',
  'Message.message': 'temp',
  'Message.name': 'climate.temp',
  'MessageText.message': 'The password is set. Sign in with it.',
  'ModulePackage.name': 'numpy',
  'ModulePackage.version': '2.3.1',
  'Node.id': 'smooth',
  'NodeInput.id': 'smooth',
  'NodeType.params': { type: 'object', properties: {}, additionalProperties: true },
  'NodeType.version': null,
  'ObservabilitySummary.version': '1.4.0',
  'OAuthClient.id': 'desk',
  'OAuthClient.name': 'Desk agent',
  'OAuthClientCreate.name': 'Desk agent',
  'PlacedFlows.nowhere_names': ['climate'],
  'Port.name': 'temp',
  'PortInput.name': 'temp',
  'PublishedMessage.name': 'climate.temp',
  'RenameRequest.name': 'heating',
  'SecretUsage.name': 'broker-password',
  'SecretValue.value': 'a long and random text',
  'Run.status': 'ok',
  'RunSummary.status': 'ok',
  'Run.flow': 'fit',
  'RunSummary.flow': 'fit',
  'SignInCode.code': 'kT5w0qYd…',
  'NewPassword.token': 'dG9rZW4…',
  'PairByCode.code': 'K7QM4XPA',
  'PairingStarted.code': 'K7QM4XPA',
  'Token.access_token': 'eyJhbGciOiJIUzI1NiJ9.…',
  'UserCreate.email': 'ben@example.org',
  'UserCreate.full_name': 'Ben Example',
  'Worker.name': 'gpu-1',
  'Worker.version': '1.4.0',
  'WorkerShare.name': 'gpu-1',
  'WorkerToken.name': 'gpu-1',
  'WorkerTokenCreate.name': 'gpu-1',
  'WorkerTokenMinted.name': 'gpu-1',
  action: 'flow.publish',
  active: 4,
  artifacts: {},
  available: true,
  board: 'esp32-s3',
  call: '7',
  cascade: '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a01',
  category: 'function',
  check: 'K7',
  client: 'desk',
  code: 'def run(temp):\n    return {"mean": temp}\n',
  commit: '4f1c0d2',
  created: true,
  credential: 'J5pWnq…',
  current_password: 'correct horse battery',
  description: '',
  digest: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  draft: false,
  email: 'ann@example.org',
  env: {},
  expires_in: 691200,
  external_id: 'job-17',
  finished_at: '2027-03-21T08:00:12.000000Z',
  firmware: '1.4.0',
  flow: 'climate',
  full_name: 'Ann Example',
  issues: [],
  id: 'temp',
  job: '4711',
  jti: '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a01',
  labels: ['gpu'],
  layout: { nodes: { smooth: { x: 120, y: 80 } } },
  log: [],
  logs: 'epoch 1: loss 0.31\n',
  media_type: 'image/png',
  message: 'climate.temp',
  metric: 'loss',
  metrics: ['loss'],
  modes: ['live', 'batch'],
  module: 'flows/climate.ts',
  name: 'climate',
  new_password: 'correct horse battery staple',
  node: 'smooth',
  note: 'warm-up was too short',
  ok: true,
  online: true,
  options: {},
  package: 'flow-service-connector-example',
  paired: true,
  params: { lr: 0.01 },
  params_cut: [],
  password: 'correct horse battery',
  path: 'flows/climate.ts',
  platform: 'linux-x64',
  port: 'temp',
  prefix: 'fsk_4Jx0aZ9q',
  progress: null,
  profile: 'large',
  provisioner: 'cluster',
  python: '3.12.4',
  reason: 'expired',
  rebuilt: ['smooth'],
  redirect_uris: ['http://127.0.0.1/callback'],
  requirements: 'numpy>=2\n',
  others: [],
  result: { f1: 0.93 },
  run: '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a01',
  scopes: ['flows:read'],
  secret: 'vC1m9Q…',
  seed: 7,
  step: 'submit',
  submitted_by: 'ann@example.org',
  started_at: '2027-03-21T08:00:00.000000Z',
  source: 'def run(temp):\n    return {"mean": temp}\n',
  tags: ['best'],
  ticket: 'pQ2x7w…',
  test: '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a01',
  title: 'Climate',
  token: 'eyJhbGciOiJFZERTQSJ9.…',
  trigger: true,
  type: 'python',
  url: 'https://example.org/',
  valid: true,
  value: 21.5,
  version: 3,
  why: ['input lr: 0.1 -> 0.2'],
  x: 'step',
}

const formats: Readonly<Record<string, unknown>> = {
  'date-time': '2027-03-21T08:00:00.000000Z',
  email: 'ann@example.org',
  uri: 'https://example.org/',
  uuid: '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a01',
}

/** A request has what it needs and what is told of its component; an answer has everything, and null where it may. */
type Side = 'request' | 'answer'

/** Makes examples of schemas, whose references lead to `components`. */
export class Examples {
  readonly #components: Readonly<Record<string, Schema>>

  constructor(components: object) {
    this.#components = components as Readonly<Record<string, Schema>>
  }

  of(schema: object, side: Side): unknown {
    return this.#of(schema, { side, component: '', name: '', within: [] })
  }

  #of(schema: Schema, place: Place): unknown {
    const [own] = schema.examples ?? []
    if (own !== undefined) return own
    const known = told[`${place.component}.${place.name}`] ?? told[place.name]
    if (known !== undefined && fits(known, this.#resolved(schema))) return known
    if (schema.$ref !== undefined) return this.#component(schema.$ref, place)
    if (place.side === 'answer' && isNullable(schema)) return null
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return schema.enum[0]
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return this.#of(choices.find((choice) => !this.#isClosed(choice, place)) ?? { type: 'null' }, place)
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => this.#of(part, place) as object))
    return this.#byType(schema, place)
  }

  #resolved(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : (this.#components[nameOf(schema.$ref)] ?? schema)
  }

  #component(ref: string, place: Place): unknown {
    const component = nameOf(ref)
    if (component === 'JsonValue') return told[`${place.component}.${place.name}`] ?? told[place.name] ?? null
    return this.#of(this.#components[component] ?? {}, { ...place, component, within: [...place.within, component] })
  }

  /** Null, or what is being written already. */
  #isClosed({ type, $ref }: Schema, { within }: Place): boolean {
    return type === 'null' || ($ref !== undefined && within.includes(nameOf($ref)))
  }

  #byType(schema: Schema, place: Place): unknown {
    const type = typeof schema.type === 'string' ? schema.type : schema.type?.find((one) => one !== 'null')
    switch (type) {
      case 'object':
        return this.#object(schema, place)
      case 'array':
        return schema.items && !this.#isClosed(schema.items, place)
          ? [this.#of(schema.items, { ...place, name: '' })]
          : []
      case 'string':
        return formats[schema.format ?? ''] ?? schema.default ?? 'text'
      case 'integer':
      case 'number':
        return schema.default ?? Math.max(schema.minimum ?? 0, (schema.exclusiveMinimum ?? -1) + 1, 1)
      case 'boolean':
        return schema.default ?? false
      case undefined:
      default:
        return null
    }
  }

  #object({ properties = {}, required = [] }: Schema, place: Place): Record<string, unknown> {
    const isWritten = (name: string): boolean =>
      required.includes(name) || (place.side === 'request' && `${place.component}.${name}` in told)
    const written = Object.entries(properties).filter(([name]) => isWritten(name))
    return Object.fromEntries(written.map(([name, schema]) => [name, this.#of(schema, { ...place, name })]))
  }
}

/** Where in an example a value stands; `within` are the components around it. */
interface Place {
  readonly side: Side
  readonly component: string
  readonly name: string
  readonly within: readonly string[]
}

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

const isNullable = ({ type, anyOf = [] }: Schema): boolean =>
  (Array.isArray(type) && type.includes('null')) || anyOf.some((choice) => choice.type === 'null')

/** Whether a telling value is of the type that the schema wants there. */
function fits(value: unknown, schema: Schema): boolean {
  const { type, enum: words, format, anyOf, oneOf, const: only, properties, additionalProperties: more } = schema
  if (only !== undefined || format === 'uuid' || format === 'date-time' || properties !== undefined) return false
  if (typeof more === 'object' && more.type === 'object') return false
  if (words) return words.includes(value)
  const choices = anyOf ?? oneOf
  if (choices) return choices.some((choice) => choice.$ref === undefined && fits(value, choice))
  const types = typeof type === 'string' ? [type] : (type ?? [])
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return types.includes('array') && value.every((item) => fits(item, schema.items ?? {}))
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value))
  return types.includes(typeof value)
}
