/**
 * Checks of a node's settings against the schema of its type (G66), and of the secrets they name (G48).
 * @module
 */
import type { AnyNodeDefinition, Values } from '@flow-service/connector-sdk'

import type { NodeCheck } from './check-report.ts'

/** Reports what the schema refuses; answers the parsed settings, or undefined when they are refused. */
export function checkSettings(check: NodeCheck, definition: AnyNodeDefinition): Values | undefined {
  const { node, at, registry, report } = check
  const base = `/nodes/${at}/settings`
  const secrets = new Set<string>()
  for (const { pointer, name } of secretRefs(node.settings, '')) {
    secrets.add(pointer)
    report('unknown_secret', `there is no secret "${name}"; store it first`, { node: node.id, path: base + pointer })
  }
  const parsed = registry.settingsOf(definition).safeParse(node.settings)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    const pointer = pointerOf(issue.path)
    if (secrets.has(pointer)) continue
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const path = base + pointer + pointerOf([key])
        report('bad_setting', `nodes of type "${node.type}" have no setting "${key}"; remove it`, {
          node: node.id,
          path,
        })
      }
      continue
    }
    const absent = issue.path.length > 0 && valueAt(node.settings, issue.path) === undefined
    const subject = issue.path.length === 0 ? 'the settings' : `setting "${issue.path.join('.')}"`
    report(
      absent ? 'missing_setting' : 'bad_setting',
      absent ? `${subject} is missing; give it a value` : `${subject}: ${issue.message}`,
      { node: node.id, path: base + pointer },
    )
  }
  return undefined
}

/** The JSON Pointer of a path (RFC 6901). */
const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  )

function secretRefs(value: unknown, pointer: string): { pointer: string; name: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const { $secret } = value as { $secret?: unknown }
  if (typeof $secret === 'string') return [{ pointer, name: $secret }]
  return Object.entries(value).flatMap(([key, item]) => secretRefs(item, pointer + pointerOf([key])))
}
