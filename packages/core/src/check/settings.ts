/**
 * Checks of a node's settings against the schema of its type (G66), and of the secrets they name (G48).
 * @module
 */
import type { AnyNodeDefinition, Values } from '@flow-service/connector-sdk'

import { missingSecret, noSecrets, pointerOf, secretRefs, withKnownSecrets } from '../secrets.ts'
import { isAbsent, isMarked, settingFault, strangerFault } from '../setting-fault.ts'
import type { NodeCheck } from './report.ts'

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
  for (const { pointer } of refs) {
    const name = pointer.split('/')[1] ?? ''
    if (!isMarked(definition, name, 'x-published')) continue
    const message = `setting "${name}" is published as it stands, and the secret in it would be; name the secret in the node that needs it`
    report('bad_setting', message, { node: node.id, path: base + pointer })
  }
  const schema = registry.settingsOf(definition)
  // as the node starts: a reference may pass for a table that the type takes. A value that the type does not take now is
  // no fault of the document where a reference may stand
  const asStarted = schema.safeParse(withKnownSecrets(node.settings, secrets))
  const asWritten = asStarted.success || refs.length === 0 ? asStarted : schema.safeParse(node.settings)
  const parsed = asWritten.success ? asWritten : asStarted
  if (parsed.success) {
    adviseOnCredentials(check, definition)
    return parsed.data
  }
  const written = { definition, settings: node.settings }
  for (const issue of parsed.error.issues) {
    const pointer = pointerOf(issue.path)
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const path = base + pointer + pointerOf([key])
        report('bad_setting', strangerFault(written, issue.path, key), { node: node.id, path })
      }
      continue
    }
    if (unknown.some((ref) => `${ref.pointer}/`.startsWith(`${pointer}/`) || pointer.startsWith(`${ref.pointer}/`)))
      continue
    report(isAbsent(written, issue) ? 'missing_setting' : 'bad_setting', settingFault(written, issue), {
      node: node.id,
      path: base + pointer,
    })
  }
  return undefined
}

function adviseOnCredentials({ node, at, registry, report }: NodeCheck, definition: AnyNodeDefinition): void {
  for (const pointer of registry.plainCredentials(definition, node.settings)) {
    const message =
      `setting "${pointer.slice(1).replaceAll('/', '.')}" holds a credential that every reader of the flow sees; ` +
      'store it as a secret, and put {"$secret": "its name"} here'
    const path = `/nodes/${at}/settings${pointer}`
    report('plain_credential', message, { node: node.id, path, severity: 'advisory' })
  }
}
