/** One node in edit mode, in the inspector: what it is called, its ports, settings and code, and how it executes. */
import type { Issue, Node, NodeType } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { ChoiceField } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { anyText, itself, KeptText, type Read } from '../parts/kept-text.tsx'
import { SchemaForm } from '../parts/schema-form.tsx'
import { type Kind, numberOf, typedOf } from '../parts/schema.ts'
import { deleteNodes, renameNode, setNode, setSetting } from './edit.ts'
import { capital, type Editing, faultsOfNode, useIsSuperuser, useNodeTypes, useSecrets } from './editing.ts'
import { PortsEditor } from './ports-editor.tsx'
import { SourceEditor } from './source-editor.tsx'

interface NodeEditorProps {
  readonly editing: Editing
  readonly node: Node
  /** Another node is shown, or none. */
  readonly select: (id: string | null) => void
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

export function NodeEditor({ editing, node, select }: NodeEditorProps) {
  const { draft } = editing
  const type = useNodeTypes().find((one) => one.type === node.type)
  const isSuperuser = useIsSuperuser()
  const secrets = useSecrets()
  const faults = faultsOfNode(editing.issues.value, node.id)
  const settings = Object.fromEntries(
    Object.entries(faults).flatMap(([path, fault]) =>
      path.startsWith('/settings/') ? [[path.slice('/settings'.length), fault] as const] : [],
    ),
  )
  // arguments of code that a superuser has written are ordinary settings
  const isGuarded = type?.superuser === true && !isSuperuser
  const isFixedSettings = isGuarded && !type.has_source
  return (
    <div class="node-editor">
      <Names editing={editing} node={node} type={type} select={select} isGuarded={isGuarded} />
      <Issues issues={editing.issues.value.filter((issue) => issue.node === node.id && isNowhereElse(issue))} />
      <PortsEditor editing={editing} node={node} type={type} faults={faults} />
      <section aria-label="Settings">
        <h3>Settings</h3>
        {isFixedSettings ? <p class="hint">Only superusers change the settings of this type.</p> : null}
        {type === undefined ? (
          <p class="fault">The engine has no type "{node.type}": its settings cannot be shown as a form.</p>
        ) : (
          <SchemaForm
            key={node.id}
            schema={type.params}
            value={node.settings}
            faults={settings}
            secrets={secrets}
            isReadOnly={isFixedSettings}
            change={(path, value) =>
              draft.edit(
                `Set ${path.join(' ')} of ${node.id}`,
                setSetting(node.id, path, value),
                `setting ${node.id} ${path.join('/')}`,
              )
            }
          />
        )}
      </section>
      {type?.has_source ? <SourceEditor editing={editing} node={node} fault={faults['/source']} /> : null}
      <Execution editing={editing} node={node} faults={faults} />
      <button
        type="button"
        class="danger"
        onClick={() => {
          draft.edit(`Delete ${node.id}`, deleteNodes(new Set([node.id])))
          select(null)
        }}
      >
        Delete the node
      </button>
    </div>
  )
}

/** What has a field of its own is told there. */
const isNowhereElse = ({ path, severity }: Issue): boolean =>
  severity === 'advisory' || !/^\/nodes\/\d+\/(?:settings\/|ports\/|source$|id$)/.test(path ?? '')

export const Issues = ({ issues }: { readonly issues: readonly Issue[] }) =>
  issues.length === 0 ? null : (
    <ul class="node-issues">
      {issues.map((issue) => (
        <li key={`${issue.code} ${issue.path} ${issue.message}`} class={`issue ${issue.severity}`}>
          <Icon name="warn" size={16} /> <span class="unseen">{issue.severity}:</span> {capital(issue.message)}
        </li>
      ))}
    </ul>
  )

interface NamesProps extends NodeEditorProps {
  readonly type: NodeType | undefined
  readonly isGuarded: boolean
}

function Names({ editing, node, type, select, isGuarded }: NamesProps) {
  const { draft } = editing
  const read = (typed: string): Read<string> => {
    if (!NAME.test(typed)) return { fault: 'Use letters, digits, "_" and "-".' }
    const isTaken = typed !== node.id && draft.doc.peek().nodes.some(({ id }) => id === typed)
    return isTaken ? { fault: 'Another node has this id.' } : { value: typed }
  }
  return (
    <header class="names">
      <KeptText
        label="Title"
        about={type?.title ?? node.type}
        value={node.title}
        read={anyText}
        write={itself}
        placeholder={node.id}
        change={(title) => draft.edit(`Title of ${node.id}`, setNode(node.id, { title }), `title ${node.id}`)}
      />
      <KeptText
        key={node.id}
        label="Id"
        about={isGuarded ? 'changed by superusers' : undefined}
        value={node.id}
        read={read}
        write={itself}
        isDisabled={isGuarded}
        isLate
        change={(next) => {
          draft.edit(`Rename ${node.id}`, renameNode(node.id, next))
          select(next)
        }}
      />
    </header>
  )
}

const seconds: Extract<Kind, { is: 'number' }> = {
  is: 'number',
  isWhole: false,
  least: null,
  most: 1e9,
  above: 0,
  below: null,
}
const attempts: typeof seconds = { ...seconds, isWhole: true, least: 1, most: 20, above: null }
const pause: typeof seconds = { ...seconds, least: 0, most: 86_400, above: null }

const read =
  (kind: typeof seconds) =>
  (typed: string): Read<number | undefined> => {
    const found = numberOf(typed, kind)
    return 'fault' in found ? found : { value: typeof found.value === 'number' ? found.value : undefined }
  }

interface ExecutionProps {
  readonly editing: Editing
  readonly node: Node
  readonly faults: Readonly<Record<string, string>>
}

function Execution({ editing: { draft }, node, faults }: ExecutionProps) {
  const [isOpen, setOpen] = useState(false)
  const put = (what: string, fields: Parameters<typeof setNode>[1]): void =>
    draft.edit(`${what} of ${node.id}`, setNode(node.id, fields), `${what} ${node.id}`)
  const { retry, timeout, worker } = node
  return (
    <details class="execution" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h3>Execution</h3>
      </summary>
      <div class="fields">
        <KeptText
          label="Timeout"
          about="seconds of silence"
          fault={faults['/timeout']}
          value={timeout ?? undefined}
          read={read(seconds)}
          write={typedOf}
          placeholder="none"
          change={(next) => put('Timeout', { timeout: next ?? null })}
        />
        <KeptText
          label="Attempts"
          about="executions in all, when it fails"
          fault={faults['/retry']}
          value={retry?.attempts}
          read={read(attempts)}
          write={typedOf}
          placeholder="1"
          change={(next) =>
            put('Attempts', {
              retry: next === undefined ? null : { delay_s: 1, factor: 2, max_delay_s: 300, ...retry, attempts: next },
            })
          }
        />
        {retry ? (
          <KeptText
            label="Pause"
            about="seconds before the second attempt; each one is longer"
            value={retry.delay_s as number | undefined}
            read={read(pause)}
            write={typedOf}
            change={(next) => put('Pause', { retry: { ...retry, delay_s: next ?? 1 } })}
          />
        ) : null}
        <KeptText
          label="Worker"
          about="label or name; empty is the engine itself"
          fault={faults['/worker']}
          value={worker ?? ''}
          read={(typed) =>
            typed === '' || NAME.test(typed) ? { value: typed } : { fault: 'Use letters, digits, "_" and "-".' }
          }
          write={itself}
          change={(next) => put('Worker', { worker: next === '' ? null : next })}
        />
        {worker === null ? null : (
          <ChoiceField
            label="While there is no such worker"
            value={node.worker_policy}
            options={[
              ['require', 'it waits'],
              ['prefer', 'the engine executes it'],
            ]}
            change={(next) => put('Workers', { worker_policy: next === 'prefer' ? 'prefer' : 'require' })}
          />
        )}
        <label class="tick">
          <input
            type="checkbox"
            checked={node.cache}
            onChange={({ currentTarget }) => put('Cache', { cache: currentTarget.checked })}
          />{' '}
          Runs may take over stored outputs
        </label>
      </div>
    </details>
  )
}
