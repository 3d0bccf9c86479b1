/**
 * The code of a Python node. Code of its own is part of the draft; shared code belongs to the library, and a change of it acts on all
 * its users at once, so that it is saved by a button. Only superusers change code, others read it.
 */
import type { Node, NodeSource, LibrarySource } from '@flow-service/client-sdk'
import type { ComponentType } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { call, get, post } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { counted } from '../format.ts'
import type { CodeEditorProps, Word } from '../parts/code-editor.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Loading } from '../parts/states.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import { setNode } from './edit.ts'
import { type Editing, pathOf, useIsSuperuser } from './editing.ts'

let loaded: ComponentType<CodeEditorProps> | null = null

/** The editor is as large as all other pages together: it is loaded with the first node that has code. */
function LazyEditor(props: CodeEditorProps) {
  const [Editor, setEditor] = useState<ComponentType<CodeEditorProps> | null>(() => loaded)
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    import('../parts/code-editor.tsx').then(
      (module) => {
        loaded = module.default
        setEditor(() => module.default)
      },
      () => setLost(true),
    )
  }, [])
  if (Editor) return <Editor {...props} />
  return isLost ? <pre class="log">{props.code}</pre> : <Loading />
}

const helpers: readonly Word[] = [
  { label: 'emit', about: 'Publishes values while the code runs: emit(loss=0.3).', is: 'function', text: 'emit(' },
  {
    label: 'save_artifact',
    about: 'Stores bytes, and gives a reference: save_artifact(data, name, media_type).',
    is: 'function',
    text: 'save_artifact(',
  },
  {
    label: 'load_artifact',
    about: 'The bytes behind a reference: load_artifact(ref).',
    is: 'function',
    text: 'load_artifact(',
  },
  {
    label: 'to_numpy',
    about: 'The numpy array behind a reference: to_numpy(ref).',
    is: 'function',
    text: 'to_numpy(',
  },
]

/** What the code of a node may name: its ports, its settings, and the helpers of the engine. */
function wordsOf({ ports, settings }: Node): readonly Word[] {
  const inputs = ports.filter(({ direction }) => direction === 'input')
  const outputs = ports.filter(({ direction }) => direction === 'output')
  return [
    ...inputs.map(({ port, dtype }): Word => ({ label: port, about: `Input, ${dtype}.`, is: 'variable' })),
    ...outputs.map(({ port, dtype }): Word => ({
      label: port,
      about: `Output, ${dtype}: a key of what is returned.`,
      is: 'variable',
    })),
    ...Object.keys(settings).map((key): Word => ({ label: key, about: 'Setting.', is: 'variable' })),
    ...helpers,
  ]
}

interface SourceEditorProps {
  readonly editing: Editing
  readonly node: Node
  readonly fault: string | undefined
}

export function SourceEditor({ editing, node, fault }: SourceEditorProps) {
  const isSuperuser = useIsSuperuser()
  const [isWide, setWide] = useState(false)
  // another list would close the one that is open
  const words = useMemo(() => wordsOf(node), [JSON.stringify([node.ports, Object.keys(node.settings)])])
  return (
    <section class={isWide ? 'code-source wide' : 'code-source'} aria-label="Code">
      <h3>
        Code
        <span class="grow" />
        <button type="button" class="bare" aria-pressed={isWide} onClick={() => setWide(!isWide)}>
          {isWide ? 'Narrow' : 'Wide'}
        </button>
      </h3>
      {isSuperuser ? null : <p class="hint">Only superusers change code.</p>}
      {node.library === null ? (
        <OwnCode key={node.id} editing={editing} node={node} words={words} isReadOnly={!isSuperuser} />
      ) : (
        <SharedCode
          key={`${node.id} ${node.library}`}
          editing={editing}
          node={node}
          words={words}
          name={node.library}
          isReadOnly={!isSuperuser}
        />
      )}
      {fault === undefined ? null : (
        <p class="fault" role="note">
          {fault}
        </p>
      )}
    </section>
  )
}

interface CodeProps {
  readonly editing: Editing
  readonly node: Node
  readonly words: readonly Word[]
  readonly isReadOnly: boolean
}

function OwnCode({ editing, node, words, isReadOnly }: CodeProps) {
  const [isSharing, setSharing] = useState(false)
  const { draft } = editing
  const share = async (): Promise<void> => {
    await flushed(editing)
    await post(`${nodePath(editing, node)}/share`, {})
    await afterChange(editing)
    say(`"${node.id}" is in the library now.`)
  }
  return (
    <>
      <LazyEditor
        label={`Code of ${node.id}`}
        code={node.source ?? ''}
        isReadOnly={isReadOnly}
        words={words}
        change={(source) => draft.edit(`Code of ${node.id}`, setNode(node.id, { source }), `code ${node.id}`)}
      />
      {isReadOnly ? null : (
        <button type="button" class="bare" disabled={!node.source} onClick={() => setSharing(true)}>
          Share it in the library
        </button>
      )}
      {isSharing ? (
        <Confirm title={`Share the code of "${node.id}"?`} verb="Share" act={share} close={() => setSharing(false)}>
          <p>
            It becomes the library source "{node.id}", which other nodes can use. A change of it acts on all its users
            at once, also on what is published.
          </p>
        </Confirm>
      ) : null}
    </>
  )
}

function SharedCode({ editing, node, words, name, isReadOnly }: CodeProps & { readonly name: string }) {
  const { data: library } = useResource<LibrarySource[]>('/flows/library').value
  const source = library?.find((one) => one.name === name)
  const [typed, setTyped] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const code = typed ?? source?.code ?? node.source ?? ''
  const act = (work: () => Promise<unknown>, done: string) => async (): Promise<void> => {
    setBusy(true)
    try {
      await flushed(editing)
      await work()
      await afterChange(editing)
      say(done)
    } catch (error) {
      sayFault(error)
    } finally {
      setBusy(false)
    }
  }
  const save = async (): Promise<void> => {
    // as it was read: somebody else may have changed it since
    const now = await get<NodeSource>(`${nodePath(editing, node)}/source`)
    if (source && now.code !== source.code) {
      await load('/flows/library')
      throw new Error(
        `Somebody else has changed "${name}" meanwhile: what you typed is still here, look at theirs first.`,
      )
    }
    await call('PUT', `${nodePath(editing, node)}/source`, { code, version: now.version })
    setTyped(null)
  }
  const users = source?.used_by.length ?? 0
  return (
    <>
      <p class="hint">
        Shared as "{name}" by {counted(users, 'node')}: a change acts on all of them at once, without a publish.
      </p>
      <LazyEditor label={`Shared code ${name}`} code={code} isReadOnly={isReadOnly} words={words} change={setTyped} />
      {isReadOnly ? null : (
        <div class="go">
          <button
            type="button"
            class="primary"
            disabled={isBusy || typed === null || typed === source?.code}
            onClick={() => void act(save, `"${name}" is changed for all its users.`)()}
          >
            Change for all {counted(users, 'user')}
          </button>
          <button
            type="button"
            disabled={isBusy}
            onClick={() =>
              void act(() => post(`${nodePath(editing, node)}/unshare`, {}), `"${node.id}" has code of its own now.`)()
            }
          >
            Make it its own
          </button>
        </div>
      )}
    </>
  )
}

const nodePath = ({ name }: Editing, { id }: Node): string => `${pathOf(name)}/nodes/${encodeURIComponent(id)}`

/** The engine acts on the draft that it has. */
async function flushed({ draft }: Editing): Promise<void> {
  if (!(await draft.flush())) throw new Error(draft.problem.peek()?.message ?? 'The draft could not be saved.')
}

async function afterChange({ name, draft }: Editing): Promise<void> {
  await load('/flows/library')
  draft.meet(await get(pathOf(name)))
}
