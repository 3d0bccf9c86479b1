/**
 * Node types of packages (G65): found at the start of the engine, tried, loaded, and told of. What is installed later is seen at
 * the next start. Invariants and the order of who has a name: DESIGN.md beside this file.
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import type { AnyNodeDefinition } from '@flow-service/connector-sdk'
import { type InstalledTypes, textOf } from '@flow-service/core'
import type { ConnectorReport } from '@flow-service/protocol'
import { environmentBeside } from '@flow-service/worker-agent'

import type { ResolvedConfig } from '../../config.ts'
import type { HostConnectors } from '../../host-options.ts'
import type { Log } from '../../process/log.ts'
import { ConfigError } from '../../process/setting.ts'
import { projectRootOf } from '../project.ts'
import { DevelopedPackages } from './developed-packages.ts'
import { usableType } from './exported-type.ts'
import { type DeclaredType, findPackages, type FoundPackage } from './found-packages.ts'
import { LoadedTypes } from './loaded-types.ts'
import { digestOf } from './package-digest.ts'
import { tryPackages, type Verdict } from './trial.ts'
import { type Memory, readMemory, VERDICTS_FILE, writeMemory } from './verdicts.ts'

/** Node types beside the built-in ones, as they are from the start of the engine; but for those under development to its end. */
export interface ConnectorPackages extends InstalledTypes {
  /** Every package with node types, in the order in which they are asked for their types. */
  readonly reports: readonly ConnectorReport[]
  /** Those that are loaded again. */
  readonly developed: DevelopedPackages
}

/** Where packages are, and what is there without them. */
export interface ConnectorPackagesDeps {
  readonly config: Pick<ResolvedConfig, 'connectors' | 'dataDir' | 'developedConnectors' | 'projectDir'>
  /** Names of the built-in types. */
  readonly builtIn: readonly string[]
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Bound of a trial and of a load, in milliseconds. */
  readonly limitMs?: number
}

/** Loads what there is. Rejects with a {@link ConfigError} for types of the host's code that are not usable, and without the project. */
export async function loadConnectorPackages(deps: ConnectorPackagesDeps): Promise<ConnectorPackages> {
  const { config, log } = deps
  const loaded = new LoadedTypes(deps.builtIn, deps.limitMs)
  const own = config.connectors.map((each) => addOwn(each, loaded))
  const developed = new DevelopedPackages({ folders: config.developedConnectors, names: loaded, log })
  await developed.open()
  const memory = await readMemory(config.dataDir)
  const judged = await judge(foundIn(deps), memory, loaded, deps)
  const absent = new Map([...memory.origins].map(([type, origin]) => [type, notInstalled(type, origin)]))
  const reports: ConnectorReport[] = []
  for (const { found, verdict } of judged) {
    const faults = await loadTypes(found, verdict, loaded)
    reports.push(reportOf(found, found.types.map(typeOf), faults))
    for (const [type, why] of faults)
      absent.set(type, `the node type "${type}" of the package ${found.name} is left out: ${why}`)
  }
  await remember(memory, judged, loaded, deps)
  for (const report of [...own, ...reports]) tell(report, log)
  return {
    types: [...loaded.types, ...developed.types],
    absent,
    get reports() {
      return [...own, ...developed.reports, ...reports]
    },
    developed,
  }
}

const notInstalled = (type: string, origin: string): string =>
  `the node type "${type}" is not installed; install ${origin} again, which had it, or change the type`

/** Why types of a package are left out, by type; '' is the package as a whole. */
type Faults = ReadonlyMap<string, string>

const typeOf = ({ type }: DeclaredType): string => type

function reportOf(
  { name, version }: Pick<FoundPackage, 'name' | 'version'>,
  types: readonly string[],
  faults: Faults,
): ConnectorReport {
  const there = types.filter((type) => !faults.has(type))
  const whys = new Set(faults.values())
  const [first = null] = whys
  // what has left all of them out is told once
  const reasons = [...faults].map(([type, why]) => (type === '' ? why : `"${type}": ${why}`))
  return {
    package: name,
    version,
    node_types: there,
    status: there.length > 0 ? 'loaded' : 'skipped',
    reason: whys.size > 1 || there.length > 0 ? reasons.join('; ') || null : first,
  }
}

function tell(
  { package: name, version, node_types: types, status, reason }: ConnectorReport,
  log: ConnectorPackagesDeps['log'],
) {
  const place = { package: name, version, types }
  if (status === 'loaded') log.info(place, `node types of the package ${name} ${version}: ${types.join(', ')}`)
  if (reason !== null) log.warn(place, `node types of the package ${name} ${version} are left out: ${reason}`)
}

function addOwn({ package: name, version, nodeTypes }: HostConnectors, loaded: LoadedTypes): ConnectorReport {
  const faults = new Map<string, string>()
  for (const [type, exported] of Object.entries(nodeTypes)) {
    const taken = loaded.taken(type)
    if (taken === null) loaded.add(ownType(type, exported, name), { package: name, version })
    else faults.set(type, taken)
  }
  return reportOf({ name, version }, Object.keys(nodeTypes), faults)
}

function ownType(type: string, exported: unknown, name: string): AnyNodeDefinition {
  try {
    return usableType(type, exported)
  } catch (error) {
    throw new ConfigError(`the option connectors: the node type "${type}" of "${name}" is not usable: ${textOf(error)}`)
  }
}

/** Packages of the project of the host, then installed modules. */
function foundIn({ config: { dataDir, projectDir }, log }: ConnectorPackagesDeps): FoundPackage[] {
  if (!existsSync(projectDir))
    throw new ConfigError(`SERVICE_PROJECT_DIR is "${projectDir}": use the folder of a project, or leave it out`)
  return [projectRootOf(projectDir), join(dataDir, 'modules')].flatMap((project) => {
    try {
      return findPackages(project)
    } catch (error) {
      log.warn({ err: error }, textOf(error))
      return []
    }
  })
}

/** A package with what is known of it. */
interface Judged {
  readonly found: FoundPackage
  /** What its verdict is remembered by; null when its files cannot be read. */
  readonly key: string | null
  /** Null when it has nothing to try. */
  readonly verdict: Verdict | null
}

/** Verdicts that are remembered, and a trial of all others. */
async function judge(
  packages: readonly FoundPackage[],
  { verdicts }: Memory,
  loaded: LoadedTypes,
  { config, limitMs }: ConnectorPackagesDeps,
): Promise<Judged[]> {
  const known = packages.map((found) => {
    const key = keyOf(found)
    // what has no chance of a name is not imported for it
    const types = found.types.filter(({ type }) => loaded.taken(type) === null)
    const tried = { name: found.name, types }
    const verdict = verdicts.get(key ?? '')
    return { found, key, tried, verdict: verdict && coversAll(verdict, types) ? verdict : null }
  })
  const unknown = known.filter(({ verdict, tried }) => verdict === null && tried.types.length > 0)
  const made = await tryPackages(
    unknown.map(({ tried }) => tried),
    { cwd: process.cwd(), env: environmentBeside(config.dataDir), ...(limitMs && { limitMs }) },
  )
  const newly = new Map(unknown.map((each, at) => [each, made[at] ?? null]))
  return known.map((each) => ({ ...each, verdict: newly.get(each) ?? each.verdict }))
}

/** Whether a verdict of an earlier start is about these types too: then somebody else may have had their names. */
const coversAll = (verdict: Verdict, types: readonly DeclaredType[]): boolean =>
  verdict.fault !== null || types.every(({ type }) => faultIn(verdict, type) !== undefined)

/** Why a type is left out, null when it has passed; undefined when it was not tried. */
function faultIn({ fault, types, isLasting }: Verdict, type: string): string | null | undefined {
  if (fault === null) return Object.hasOwn(types, type) ? types[type] : undefined
  const again = `it is tried again once it is installed anew, or ${VERDICTS_FILE} of the data directory is removed`
  return isLasting ? `${fault}; ${again}` : fault
}

function keyOf(found: FoundPackage): string | null {
  try {
    return `${found.name} ${digestOf(found)}`
  } catch {
    return null
  }
}

/** Loads the types of a package that have passed; why others are left out. */
async function loadTypes(found: FoundPackage, verdict: Verdict | null, loaded: LoadedTypes): Promise<Faults> {
  const faults = new Map(found.faults)
  for (const declared of found.types) {
    const { type } = declared
    // only what has passed is imported (packages.P1)
    const fault = loaded.taken(type) ?? (verdict === null ? undefined : faultIn(verdict, type))
    const origin = { package: found.name, version: found.version }
    const why = fault === null ? await loaded.load(declared, origin) : (fault ?? 'it was not tried')
    if (why !== null) faults.set(type, why)
  }
  return faults
}

/** Writes down what has changed. A start without a memory only takes longer. */
async function remember(
  before: Memory,
  judged: readonly Judged[],
  loaded: LoadedTypes,
  { config, log }: ConnectorPackagesDeps,
): Promise<void> {
  const origins = loaded.types.map(
    ({ definition: { type }, origin }) => [type, `${origin.package} ${origin.version}`] as const,
  )
  const memory = {
    verdicts: new Map(
      judged.flatMap(({ key, verdict }) => (key !== null && verdict?.isLasting ? [[key, verdict]] : [])),
    ),
    origins: new Map([...before.origins, ...origins]),
  }
  if (isDeepStrictEqual(memory, before)) return
  await writeMemory(config.dataDir, memory).catch((error: unknown) =>
    log.warn(
      { err: error },
      'what is known of packages with node types cannot be kept; they are tried again at the next start',
    ),
  )
}
