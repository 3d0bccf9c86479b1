/**
 * Builds what a manifest asks for beside what is in force: parts that ask for nothing else are taken over as they are.
 * @module
 */
import type { ModulePackage } from '@flow-service/protocol'
import { findPython } from '@flow-service/worker-agent'

import type { Building } from './building.ts'
import type { Generation, ModulePart, ModulesFolder } from './modules-folder.ts'
import { buildNpm } from './npm-packages.ts'
import { buildPython } from './python-environment.ts'
import { type Manifest, type RequirementLine, wantedBy } from './requirements.ts'

/** Where packages come from; null for what the machine says. */
export interface PackageSources {
  readonly pipIndexUrl: string | null
  readonly npmRegistry: string | null
}

/** What is built, and of what. */
export interface ModuleBuild extends PackageSources {
  readonly folder: ModulesFolder
  readonly manifest: Manifest
  /** What is in force, as far as it may be taken over. */
  readonly before: { readonly [K in 'python' | 'npm']: ModulePart | null }
}

/** The parts of a manifest. Rejects with a `BuildFailure` where they cannot be built. */
export async function buildModules(
  { folder, manifest, before, pipIndexUrl, npmRegistry }: ModuleBuild,
  building: Building,
): Promise<Pick<Generation, 'python' | 'npm'>> {
  const python = await partOf(manifest.python, before.python, async (lines) => {
    const { id, path } = folder.place('python')
    const base = await findPython(building.env)
    return { id, packages: await buildPython({ base, path, lines, index: pipIndexUrl }, building) }
  })
  const npm = await partOf(manifest.npm, before.npm, async (lines) => {
    const { id, path } = folder.place('npm')
    return { id, packages: await buildNpm({ path, lines, registry: npmRegistry }, building) }
  })
  return { python, npm }
}

type Build = (
  lines: readonly RequirementLine[],
) => Promise<{ readonly id: string; readonly packages: readonly ModulePackage[] }>

async function partOf(
  lines: readonly RequirementLine[],
  before: ModulePart | null,
  build: Build,
): Promise<ModulePart | null> {
  if (lines.length === 0) return null
  const wanted = wantedBy(lines)
  if (before !== null && before.wanted.join('\n') === wanted.join('\n')) return before
  return { ...(await build(lines)), wanted }
}
