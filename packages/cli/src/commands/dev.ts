import { join, resolve } from 'node:path'

import type { ServiceConfig } from '@flow-service/api-server'
import { type Client, createClient, type Flow } from '@flow-service/client-sdk'

import { openBrowser } from '../browser-sign-in.ts'
import { DebugPlaces } from '../debug-places.ts'
import { reloadLines } from '../dev-report.ts'
import { describeLoadError, type Engine, type EngineFlags, startEngine, untilStopped } from '../engine.ts'
import { CommandFailure, failed } from '../failure.ts'
import { issueLines, issueSummary } from '../issues.ts'
import { NodeNews } from '../node-news.ts'
import { watchRun } from '../run-progress.ts'
import { watchSources } from '../source-watch.ts'
import { oneLine } from '../table.ts'
import { bold, green } from '../terminal.ts'
import { CheckedTypes } from '../type-check.ts'

interface DevFlags extends EngineFlags {
  readonly check?: boolean
  /** The first port; true for the usual one. */
  readonly inspect?: number | true
  readonly inspectWait?: boolean
  readonly connector?: readonly string[]
  /** False with `--no-open`. */
  readonly open?: boolean
  readonly run?: string
}

/**
 * `service dev [dir]`: the engine with the flows of a folder, its first user made, the command line signed in. Flows
 * whose sources change are swapped in, and so are the connector packages that it is told of.
 */
export async function dev(dir: string | undefined, flags: DevFlags): Promise<void> {
  let engine: Engine | undefined
  const news = new NodeNews((lines) => console.log(lines))
  const told = new ToldErrors()
  const { connector: connectors = [] } = flags
  const folders = [...(dir === undefined ? [] : [dir]), ...connectors]
  const types = flags.check ? checkedTypes(folders) : null
  // looks at the folders before the engine does: what changes while that starts is not missed
  const sources =
    folders.length === 0
      ? null
      : watchSources({
          directories: folders,
          files: () => engine?.service.flowFiles ?? [],
          changed: async () => {
            if (engine) await swap(engine, { told, types, isBehind: () => sources?.isBehind() ?? false })
          },
        })
  engine = await startEngine(flags, {
    environment: 'local',
    onNodeReport: (report) => news.hear(report),
    ...(dir === undefined ? {} : { flows: dir }),
    developedConnectors: connectors,
    ...inspection(flags),
  })
  try {
    await open(engine, told, flags)
  } catch (error) {
    await engine.service.close()
    throw error
  }
  const first = types?.areRight(engine.service.config.dataDir, 'what changes is swapped in once they are right')
  first?.catch(failed)
  sources?.start()
  const stopped = untilStopped(engine, async () => {
    console.log('\nStopping ...')
    types?.close()
    await sources?.close()
  })
  console.log(
    sources
      ? `\nChanges in ${folders.join(', ')} are swapped in. Ctrl-C stops the engine.`
      : '\nCtrl-C stops the engine.',
  )
  await stopped
  news.close()
  console.log('Stopped.')
  process.exit()
}

/** What is debugged of an engine, and how it is told. */
function inspection({ inspect, inspectWait = false }: DevFlags): Pick<ServiceConfig, 'inspectNodes'> {
  if (inspect === undefined) {
    if (inspectWait) throw new CommandFailure(2, '--inspect-wait says how --inspect is meant: give both')
    return {}
  }
  const places = new DebugPlaces(inspectWait, (line) => console.log(line))
  return {
    inspectNodes: {
      port: inspect === true ? DEBUG_PORT : inspect,
      wait: inspectWait,
      onOpened: (inspected) => places.tell(inspected),
    },
  }
}

/** The one that Node takes. */
const DEBUG_PORT = 9229

function checkedTypes(folders: readonly string[]): CheckedTypes {
  if (folders.length === 0) throw new CommandFailure(2, '--check needs the folder of flows: service dev flows/ --check')
  return new CheckedTypes(folders, (line) => console.log(line))
}

/** Brings changed sources into the engine, starts new live flows, and tells what has become of it. */
async function swap(
  { service, baseUrl }: Engine,
  {
    told,
    types,
    isBehind,
  }: { readonly told: ToldErrors; readonly types: CheckedTypes | null; readonly isBehind: () => boolean },
): Promise<void> {
  const before = service.loadErrors
  try {
    if (types && !(await types.areRight(service.config.dataDir, 'what was loaded goes on'))) return
    // what has been saved during the check is checked first
    if (types && isBehind()) return
    const began = performance.now()
    const result = await service.reload()
    const ms = performance.now() - began
    const fresh = result.changed.filter(({ mode, previousVersion }) => previousVersion === null && mode === 'live')
    const lines = reloadLines(result, { before, ms })
    if (lines.length > 0) console.log(lines.join('\n'))
    const client = createClient({ baseUrl, token: await service.superuserToken() })
    const kept = result.packages.flatMap(({ rebuilt }) => rebuilt.filter(({ nodes }) => nodes.length === 0))
    await told.tell(client, [...result.changed, ...kept.map(({ flow }) => ({ name: flow }))])
    await startNew(client, fresh)
  } catch (error) {
    failed(error)
  }
}

/** What is wrong with flows that load all the same, such as a Python source that does not parse: each is told once. */
class ToldErrors {
  readonly #errors = new Map<string, string>()

  async tell(client: Client, flows: readonly { readonly name: string }[]): Promise<void> {
    for (const { name, issues } of await Promise.all(flows.map(({ name }) => client.flows.get(name)))) {
      const errors = issues.filter(({ severity }) => severity === 'error')
      const before = this.#errors.get(name)
      const text = [`${bold(name)} has ${issueSummary(errors)}`, ...issueLines(errors)].join('\n')
      if (errors.length === 0) this.#errors.delete(name)
      else this.#errors.set(name, text)
      if (errors.length > 0 && before !== text) console.log(text)
      if (errors.length === 0 && before !== undefined) console.log(`${green('✓')} ${bold(name)} has no errors any more`)
    }
  }
}

async function startNew(client: Client, flows: readonly { readonly name: string }[]): Promise<void> {
  for (const { name } of flows) await client.flows.start(name).catch(failed)
}

/** Starts new live flows, tells what there is, and watches the wanted run. */
async function open(engine: Engine, told: ToldErrors, { run, open: isOpened = true }: DevFlags): Promise<void> {
  const { service, baseUrl } = engine
  const client = createClient({ baseUrl, token: await service.superuserToken() })
  await startNew(
    client,
    service.loadedFlows.filter(({ mode, created }) => created && mode === 'live'),
  )
  console.log(await banner(engine, client))
  if (isOpened) openConsole(engine)
  for (const error of service.loadErrors) console.error(`\n${describeLoadError(error)}`)
  await told.tell(client, service.loadedFlows)
  if (run === undefined) return
  console.log()
  // A run that cannot be submitted is no reason to take the engine away.
  await watchRun(client, { name: run }, { print: (line) => console.log(line) }).catch(failed)
}

const consoleOf = (origin: string): string => `${origin}/console/`

/** Shows the console, signed in, to who sits at this machine. */
function openConsole({ service, origin }: Engine): void {
  const { console: isThere, host } = service.config
  const isSeen = process.stdout.isTTY && !process.env['CI'] && ['127.0.0.1', '::1', 'localhost'].includes(host)
  if (isThere && isSeen) openBrowser(`${consoleOf(origin)}#dev=${service.consoleCode()}`)
}

async function banner({ service, origin, baseUrl }: Engine, client: Client): Promise<string> {
  const { dataDir } = service.config
  const { email, password } = service.signIn
  const list = await client.flows.list()
  const flows = await Promise.all(list.map(({ name }) => client.flows.get(name)))
  const blocks: [string, string[]][] = [
    ['Console', service.config.console ? [consoleOf(origin)] : []],
    ['API', [baseUrl]],
    ['Docs', [`${origin}/docs (Swagger UI), ${origin}/redoc`]],
    ['Data', [dataDir]],
    [
      'Sign in',
      [password === null ? `${email}` : `${email}, password ${password} (shown this once)`, signedIn(dataDir)],
    ],
    ['Flows', flows.filter((flow) => !isAbsent(flow)).map(stateOf)],
    ['Shows', service.loadedDashboards.map((name) => `dashboard ${name}`)],
    ['Absent', absence(flows.filter(isAbsent))],
    ['Try', flows.flatMap((flow) => webhooks(flow, origin))],
  ]
  const lines = blocks.flatMap(([name, texts]) =>
    texts.map((text, at) => `  ${(at === 0 ? name : '').padEnd(9)}${text}`),
  )
  return ['', 'flow-service is up.', ...lines].join('\n')
}

/** A flow with its state, and what is wrong with it. */
function stateOf({ name, mode, status, issues }: Flow): string {
  const error = issues.find(({ severity }) => severity === 'error')
  return `${name} (${mode}, ${status})${error ? `: ${oneLine(error.message, 200)}` : ''}`
}

/** Whether an earlier start with this data directory has loaded the flow, and this one has not. */
const isAbsent = ({ issues }: Flow): boolean => issues.some(({ code }) => code === 'module_missing')

/** Flows of another folder, and how to go on with them or without. */
function absence(flows: readonly Flow[]): string[] {
  if (flows.length === 0) return []
  return [
    flows.map(({ name, code }) => `${name} (${code?.module ?? 'code'})`).join(', '),
    'no module of this start defines them, so they are kept and do not run. To have them, start with their folder;',
    'to see them no more, give each folder its own --data, or delete them: service flows delete <name>',
  ]
}

/** How other commands find the sign-in file. */
function signedIn(dataDir: string): string {
  const file = join(dataDir, 'cli.json')
  return resolve('.service') === dataDir
    ? `"service" commands in this folder are signed in (${file})`
    : `"service" commands are signed in with SERVICE_DATA_DIR=${dataDir} (${file})`
}

/** A curl line for each open webhook of an active flow. */
function webhooks(flow: Flow, origin: string): string[] {
  if (flow.status !== 'active') return []
  return flow.nodes.flatMap(({ type, ports, settings }) => {
    const outputs = ports.filter(({ direction }) => direction === 'output')
    const { url, secret, method } = settings as { url?: string; secret?: unknown; method?: string }
    if (type !== 'http' || outputs.length === 0 || outputs.length < ports.length || !url || secret) return []
    const address = `${origin}/hooks/${flow.name}/${url.replace(/^\//, '')}`
    if (method === 'GET')
      return [
        `curl '${address}?${outputs.map(({ port, dtype }) => `${port}=${encodeURIComponent(queryText(sample(dtype)))}`).join('&')}'`,
      ]
    const body = Object.fromEntries(outputs.map(({ port, dtype }) => [port, sample(dtype)]))
    return [`curl -i ${address} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`]
  })
}

/** A value of a dtype to try a webhook with. */
function sample(dtype: string): string | number | boolean | object {
  const samples: Record<string, number | boolean | object> = { float: 31.5, int: 3, bool: true, object: {}, array: [] }
  return samples[dtype] ?? 'hello'
}

const queryText = (value: string | number | boolean | object): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)
