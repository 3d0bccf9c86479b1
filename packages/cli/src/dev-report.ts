/**
 * The lines that `service dev` prints after a reload: each package, flow and dashboard that was swapped, the places of
 * errors, and files that load again.
 * @module
 */
import type { DashboardChange, FlowChange, LoadError, PackageChange, ReloadResult } from '@flow-service/api-server'

import { describeLoadError } from './engine.ts'
import { bold, counted, dim, green, red, yellow } from './terminal.ts'

/** Lines about a reload that took `ms`; `before` are the errors that were told last. Empty when there is nothing new to tell. */
export function reloadLines(
  { changed, removed, dashboards, packages, errors }: Omit<ReloadResult, 'unchanged'>,
  { before, ms }: { readonly before: readonly LoadError[]; readonly ms: number },
): string[] {
  const told = new Set(before.map(describeLoadError))
  const now = new Set(errors.map(describeLoadError))
  const fresh = [...now].filter((text) => !told.has(text))
  const width = Math.max(0, ...[...changed.map(({ name }) => name), ...removed].map(({ length }) => length))
  return [
    ...packages.map((each) => packageLine(each, ms)),
    ...changed.map((change) => changeLine(change, width)),
    ...removed.map((name) => `${red('✗')} ${bold(name.padEnd(width))}  no module defines it any more: ended`),
    ...dashboards.changed.map(dashboardLine),
    ...dashboards.removed.map(
      (name) =>
        `${red('✗')} dashboard ${bold(name)}  no module defines it any more: it stays, and is changed through the API`,
    ),
    ...recovered(before, errors).map((file) => `${green('✓')} ${bold(file)} loads again`),
    ...fresh.map((text) => `\n${text}`),
    ...(fresh.length > 0 ? [yellow('what it defines goes on as it was last loaded')] : []),
  ]
}

function dashboardLine({ name, version }: DashboardChange): string {
  const title = `dashboard ${bold(name)}  v${version}`
  return version === 1 ? `${green('+')} ${title} ${dim('(new)')}` : `${green('↻')} ${title}`
}

function packageLine({ package: name, nodeTypes, removedTypes, rebuilt }: PackageChange, ms: number): string {
  const flows = rebuilt.filter(({ nodes }) => nodes.length > 0)
  const places = flows.map(({ flow, nodes }) => `${nodes.join(', ')} of ${flow}`)
  const parts = [
    `${nodeTypes.join(', ')} reloaded in ${Math.round(ms)} ms`,
    ...(removedTypes.length === 0 ? [] : [`${removedTypes.join(', ')} removed`]),
    ...(places.length === 0 ? [] : [`rebuilt ${places.join('; ')}`]),
  ]
  return `${green('↻')} ${bold(`${name}:`)} ${parts.join(', ')}`
}

/** Files without errors that had some. */
function recovered(before: readonly LoadError[], now: readonly LoadError[]): string[] {
  const broken = new Set(now.map(({ file }) => file))
  const files = before.map(({ file }) => file).filter((file) => !broken.has(file))
  return [...new Set(files.map((file) => file ?? 'the folder'))]
}

function changeLine({ name, mode, previousVersion, version, nodes }: FlowChange, width: number): string {
  const title = bold(name.padEnd(width))
  if (previousVersion === null) return `${green('+')} ${title}  v${version} ${dim(`(new, ${mode})`)}`
  if (previousVersion === version) return `${green('↻')} ${title}  v${version} ${dim('(back)')}`
  const noun = mode === 'batch' ? 'stage' : 'node'
  const what = nodes.length === 0 ? 'document changed' : `${counted(nodes.length, noun)} changed`
  return `${green('↻')} ${title}  v${previousVersion} → v${version} ${dim(`(${what})`)}`
}
