/**
 * Words and lines of what differs between two contents of a flow. The engine finds the differences (`FlowDiff`); the publish
 * dialog and the list of versions show them.
 */
import type { Change, FlowDiff, FlowGraph, JsonValue, Node } from '@flow-service/client-sdk'

import { oneLine } from '../format.ts'
import type { Doc } from './document.ts'

/** A line of code that was taken away, put in, or stands around those. */
export interface DiffLine {
  readonly is: 'added' | 'removed' | 'same' | 'gap'
  readonly text: string
  /** Its number in the code of before, and of now. */
  readonly from: number | null
  readonly to: number | null
}

/** The lines of a unified diff, without its head. */
export function linesOf(patch: string): DiffLine[] {
  const lines: DiffLine[] = []
  let [from, to] = [0, 0]
  let isInside = false
  for (const line of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk) {
      if (isInside) lines.push({ is: 'gap', text: '', from: null, to: null })
      ;[from, to] = [Number(hunk[1]), Number(hunk[2])]
      isInside = true
    } else if (isInside) {
      const text = line.slice(1)
      if (line.startsWith('-')) lines.push({ is: 'removed', text, from: from++, to: null })
      else if (line.startsWith('+')) lines.push({ is: 'added', text, from: null, to: to++ })
      else if (line.startsWith(' ')) lines.push({ is: 'same', text, from: from++, to: to++ })
    }
  }
  return lines
}

/** `/settings/rules/0/value` for people: `settings · rules · 0 · value`. */
export const placeOf = (path: string): string =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join(' · ')

/** A value of a document on one line. */
export function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value['$secret'] === 'string')
    return `secret ${value['$secret']}`
  return value === '' ? 'empty' : oneLine(value, 200)
}

/** What has changed of a flow that was never published: everything is new. */
export function diffOfNew({ nodes }: Pick<Doc, 'nodes'>): Pick<FlowDiff, 'flow' | 'nodes' | 'wires'> {
  return {
    flow: [],
    wires: { added: [], removed: [] },
    nodes: nodes.map(({ id, source, settings }) => ({
      id,
      change: 'added',
      fields: Object.entries(settings).map(([key, to]): Change => ({ path: `/settings/${key}`, to })),
      source: source ? `@@ -0,0 +1 @@\n${source.replace(/\n$/, '').replaceAll(/^/gm, '+')}` : null,
    })),
  }
}

/** A flow that reads messages which change. */
export interface AffectedReader {
  readonly flow: string
  readonly messages: readonly string[]
}

/** Other flows that read what the changed nodes publish, now or before. */
export function affectedReaders(
  flow: string,
  changed: ReadonlySet<string>,
  contents: readonly { readonly nodes: readonly Node[] }[],
  graph: FlowGraph,
): AffectedReader[] {
  const messages = new Set(
    contents.flatMap(({ nodes }) =>
      nodes
        .filter(({ id }) => changed.has(id))
        .flatMap(({ ports }) => ports.filter(({ direction }) => direction === 'output').map(({ message }) => message)),
    ),
  )
  return graph.edges.flatMap(({ from, to, messages: all }) => {
    if (from !== `flow:${flow}` || to === from) return []
    const found = all.filter((message) => messages.has(message))
    return found.length === 0 ? [] : [{ flow: to.replace(/^\w+:/, ''), messages: found }]
  })
}

/** Parts of a schema that are about the same setting: its alternatives and items. */
const isPart = /^(?:anyOf|oneOf|items|additionalProperties|\d+)$/

/** Names of settings that hold credentials, in any of these types. */
export function credentialNames(types: readonly { readonly params: unknown }[]): ReadonlySet<string> {
  const names = new Set<string>()
  const walk = (schema: unknown, key: string): void => {
    if (typeof schema !== 'object' || schema === null) return
    if ('x-secret' in schema && schema['x-secret'] === true) names.add(key)
    for (const [name, inner] of Object.entries(schema)) walk(inner, isPart.test(name) ? key : name)
  }
  for (const { params } of types) walk(params, '')
  return names
}

const HIDDEN = 'a text that is not shown'

/** The value without texts that stand where a secret belongs: whoever looks over a shoulder reads none. */
export function masked(value: JsonValue | undefined, names: ReadonlySet<string>, path = ''): JsonValue | undefined {
  const isHere = path.split('/').some((part) => names.has(part))
  if (typeof value !== 'object' || value === null)
    return isHere && typeof value === 'string' && !path.endsWith('/$secret') ? HIDDEN : value
  if (Array.isArray(value)) return value.map((item, at) => masked(item, names, `${path}/${at}`) ?? null)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, masked(item, names, `${path}/${key}`) ?? null]),
  )
}
