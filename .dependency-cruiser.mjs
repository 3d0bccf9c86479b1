// The arrows between packages and between slices of the server. Anything that is not listed is forbidden.

/** Runtime imports that a package may make of other packages of the workspace. */
export const arrows = {
  protocol: [],
  'flow-sdk': ['protocol'],
  'connector-sdk': ['protocol'],
  connectors: ['connector-sdk'],
  core: ['protocol', 'connector-sdk'],
  'commands-lm': ['protocol'],
  'node-types': ['protocol', 'connector-sdk', 'flow-sdk', 'commands-lm'],
  'worker-agent': ['protocol'],
  'client-sdk': ['protocol'],
  'device-sdk': ['protocol'],
  mcp: ['protocol', 'client-sdk'],
  testing: ['protocol', 'flow-sdk', 'connector-sdk', 'node-types', 'core', 'device-sdk'],
  'api-server': ['protocol', 'connector-sdk', 'core', 'node-types', 'worker-agent', 'mcp', 'commands-lm', 'console'],
  cli: [
    'protocol',
    'node-types',
    'api-server',
    'client-sdk',
    'device-sdk',
    'worker-agent',
    'create-flow-service',
    'create-flow-service-connector',
    'commands-lm',
  ],
  console: ['client-sdk', 'protocol'],
  'create-flow-service': [],
  'create-flow-service-connector': ['create-flow-service'],
  'device-python': [],
  python: [],
}

/** Slices of the server in the order of their dependencies: a slice uses slices to its left. */
export const slices = [
  'events',
  'mail',
  'auth',
  'engines',
  'secrets',
  'artifacts',
  'messages',
  'node-logs',
  'hooks',
  'work',
  'workers',
  'provisioning',
  'devices',
  'code',
  'connectors',
  'host',
  'commands',
  'flows',
  'forwarding',
  'runs',
  'dashboards',
  'modules',
  'observability',
  'alerts',
  'moving',
  'agents',
]
const server = '^packages/api-server/src'

const packageRules = Object.entries(arrows).map(([name, allowed]) => ({
  name: `arrows-of-${name}`,
  comment: `${name} imports ${allowed.length > 0 ? allowed.join(', ') : 'no other package'}`,
  severity: 'error',
  from: { path: [`^packages/${name}/src/`, `^packages/${name}/[^/]+/src/`] },
  to: { path: `^packages/(?!(${[name, ...allowed].join('|')})/)` },
}))

const sliceRules = slices.flatMap((slice, at) => [
  {
    name: `slices-right-of-${slice}`,
    severity: 'error',
    from: { path: `${server}/${slice}/` },
    to: { path: `${server}/(${slices.slice(at + 1).join('|') || 'none'})/` },
  },
  {
    name: `store-of-${slice}`,
    comment: 'a store is imported by its own slice alone',
    severity: 'error',
    from: { path: server, pathNot: `${server}/${slice}/` },
    to: { path: `${server}/${slice}/.*\\bstore\\.ts$` },
  },
])

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true, dependencyTypesNot: ['type-only'] } },
    ...packageRules,
    {
      name: 'connectors-know-no-other',
      severity: 'error',
      from: { path: '^packages/connectors/([^/]+)/' },
      to: { path: '^packages/connectors/(?!$1/)' },
    },
    ...sliceRules,
    {
      name: 'routes-belong-to-the-slice',
      severity: 'error',
      from: { path: `${server}/`, pathNot: [`${server}/api\\.ts$`, '/slice\\.ts$'] },
      to: { path: `${server}/.+\\broutes\\.ts$` },
    },
    {
      name: 'nouns-are-wired-in-slices',
      comment: 'who needs a noun gets it by its constructor',
      severity: 'error',
      from: { path: `${server}/`, pathNot: [`${server}/(api|compose|service)\\.ts$`, '/(slice|layer)\\.ts$'] },
      to: { path: '/(slice|process/given|db/layer|egress/layer)\\.ts$' },
    },
    {
      name: 'rooms-of-core-know-no-other-room',
      severity: 'error',
      from: { path: '^packages/core/src/(check|live|batch)/' },
      to: { path: '^packages/core/src/(check|live|batch)/', pathNot: '^packages/core/src/$1/' },
    },
    {
      name: 'core-stands-below-its-rooms',
      severity: 'error',
      from: { path: '^packages/core/src/[^/]+$', pathNot: '/(index|testing)\\.ts$' },
      to: { path: '^packages/core/src/(check|live|batch)/' },
    },
    {
      name: 'curves-know-no-runs',
      severity: 'error',
      from: { path: `${server}/runs/curves/` },
      to: { path: `${server}/runs/(?!curves/)` },
    },
    {
      name: 'stages-know-no-runs',
      severity: 'error',
      from: { path: `${server}/runs/stages/` },
      to: { path: `${server}/runs/(?!stages/|curves/)` },
    },
    {
      name: 'packages-know-no-flows',
      comment: 'of code, packages use the process of imports, the place of the project and how imports are resolved',
      severity: 'error',
      from: { path: `${server}/code/packages/` },
      to: { path: `${server}/code/(?!packages/|import-process|(?:project|resolution)\\.ts)` },
    },
    {
      name: 'nothing-stands-on-these-rooms',
      comment: 'reports, control and sources are made by their slice alone',
      severity: 'error',
      from: {
        path: `${server}/`,
        pathNot: [`${server}/(flows|runs)/slice\\.ts$`, `${server}/(runs/reports|flows/control|flows/sources)/`],
      },
      to: { path: `${server}/(runs/reports|flows/control|flows/sources)/` },
    },
    {
      name: 'mechanisms-know-no-slice',
      severity: 'error',
      from: { path: `${server}/(http|db|egress|process)/` },
      to: { path: `${server}/(${slices.join('|')})/` },
    },
    {
      name: 'no-deep-imports',
      severity: 'error',
      from: { path: '^(packages/([^/]+)|examples|bench|test)/' },
      to: {
        path: '^packages/[^/]+/src/(?!(index|ahead|flow|testing|command|chat|words)\\.ts$)',
        pathNot: '^packages/$2/',
      },
    },
    {
      name: 'constructors-hold-no-implementation',
      severity: 'error',
      from: { path: '^packages/node-types/src/(types/[^/]+/flow|constructor-ports)\\.ts$' },
      to: { path: '^packages/node-types/src/', pathNot: '/constructor-ports\\.ts$' },
    },
    {
      name: 'effect-stays-inside',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/(core|api-server)/' },
      to: { path: 'node_modules/effect/' },
    },
    {
      name: 'stable-effect-only',
      severity: 'error',
      from: {},
      to: {
        path: 'node_modules/effect/dist/(http|http-api|sql|cluster|workflow|cli|rpc|ai|eventlog|persistence|process|reactivity|workers)/',
      },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|fixtures|template)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@flow-service/source', 'import', 'default'],
    },
  },
}
