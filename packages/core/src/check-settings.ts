/**
 * Checks of a node's settings against the schema of its type (G66), and of the secrets they name (G48).
 * @module
 */
import type { AnyNodeDefinition, Values } from '@flow-service/connector-sdk'

import type { NodeCheck } from './check-report.ts'
import { missingSecret, noSecrets, pointerOf, secretRefs, withKnownSecrets } from './secrets.ts'

/** Reports what the schema refuses; answers the parsed settings, or undefined when they are refused. */
export function checkSettings(check: NodeCheck, definition: AnyNodeDefinition): Values | undefined {
  const { node, at, registry, around, report } = check
  const base = `/nodes/${at}/settings`
  const refs = secretRefs(node.settings)
  const secrets = around?.secrets ?? noSecrets
  const unknown = refs.filter(({ name }) => secrets.valueOf(name) === undefined)
  for (const { pointer, name } of around?.secrets ? unknown : []) {
    report('unknown_secret', missingSecret(name), { node: node.id, path: base + pointer })
  }
  const schema = registry.settingsOf(definition)
  // a type that takes references is asked with them, any other one with their values
  const asWritten = schema.safeParse(node.settings)
  const parsed =
    asWritten.success || refs.length === 0 ? asWritten : schema.safeParse(withKnownSecrets(node.settings, secrets))
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    const pointer = pointerOf(issue.path)
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
    if (unknown.some((ref) => ref.pointer === pointer || ref.pointer.startsWith(`${pointer}/`))) continue
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

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  )
