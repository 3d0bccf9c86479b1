/** Anything by its name: Ctrl+K, a few letters, Enter. */
import type { FlowListItem, RunSummary } from '@flow-service/client-sdk'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { get } from './api/call.ts'
import { useResource } from './api/resource.ts'
import { shortId } from './format.ts'
import { keyList, palette } from './overlays.ts'
import { go } from './router.ts'
import { signOut } from './session.ts'
import { flipTheme } from './theme.ts'

interface Entry {
  readonly id: string
  readonly title: string
  readonly kind: string
  readonly act: () => void
}

const actions: readonly Entry[] = [
  { id: 'theme', title: 'Light or dark', kind: 'action', act: flipTheme },
  { id: 'keys', title: 'Keys', kind: 'action', act: () => (keyList.value = true) },
  { id: 'out', title: 'Sign out', kind: 'action', act: () => signOut() },
  { id: 'api', title: 'API reference', kind: 'page', act: () => window.open('../docs', '_blank', 'noopener') },
]
/** Of each kind on the list at once. */
const [MOST_FLOWS, MOST_RUNS] = [8, 5]
/** Who types goes on typing: runs are asked for once after a pause. */
const PAUSE_MS = 200

interface Areas {
  readonly areas: readonly { readonly name: string; readonly title: string }[]
}

export function Palette({ areas }: Areas) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const dialog = useRef<HTMLDialogElement>(null)
  // before the next key is heard: who knows the way types on
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const { data: flows = [] } = useResource<FlowListItem[]>('/flows/').value
  const fitting = flows.filter(({ name, title }) => fits(name, text) || fits(title, text)).slice(0, MOST_FLOWS)
  const runs = useRuns(
    text,
    fitting.filter(({ mode }) => mode === 'batch').map(({ name }) => name),
  )
  const found = [
    ...areas.map(({ name, title }) => ({ id: `area-${name}`, title, kind: 'area', act: () => go(`/${name}`) })),
    ...actions,
  ]
    .filter(({ title }) => fits(title, text))
    .concat(text.trim() === '' ? [] : [...fitting.map(flowEntry), ...runs.map(runEntry)])
  const chosen = found[Math.min(at, found.length - 1)]
  const close = (): void => void (palette.value = false)
  const take = (entry: Entry | undefined): void => {
    close()
    entry?.act()
  }
  const hear = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setAt((Math.min(at, found.length - 1) + step + found.length) % Math.max(1, found.length))
  }
  return (
    <dialog class="palette" ref={dialog} onClose={close} aria-label="Find anything">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          take(chosen)
        }}
      >
        <input
          autofocus
          value={text}
          placeholder="An area, a flow, a run"
          role="combobox"
          aria-label="Find anything"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={chosen ? `found-${found.indexOf(chosen)}` : undefined}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={hear}
        />
      </form>
      <ul id="found" role="listbox" aria-label="Found">
        {found.map((entry, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the input hears the keys
          <li
            key={entry.id}
            id={`found-${index}`}
            role="option"
            aria-selected={entry === chosen}
            onClick={() => take(entry)}
          >
            <span>{entry.title}</span> <small>{entry.kind}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p class="hint">Nothing has that name.</p> : null}
    </dialog>
  )
}

const flowEntry = ({ name, title, mode }: FlowListItem): Entry => ({
  id: `flow-${name}`,
  title: title === '' || title === name ? name : `${title} (${name})`,
  kind: `${mode} flow`,
  act: () => go(`/flows/${encodeURIComponent(name)}`),
})

const runEntry = ({ id, flow, status }: RunSummary): Entry => ({
  id: `run-${id}`,
  title: `${flow} ${shortId(id)}`,
  kind: `run, ${status}`,
  act: () => go(`/runs/${id}`),
})

/** The newest runs of these flows, and those of whose id the text is a part. */
function useRuns(text: string, flows: readonly string[]): readonly RunSummary[] {
  const [runs, setRuns] = useState<readonly RunSummary[]>([])
  const word = text.trim()
  const names = flows.join()
  useEffect(() => {
    let isOver = false
    const queries = [
      ...(/^[\da-f-]{4,36}$/i.test(word) ? [{ filter: `id~"${word.toLowerCase()}"`, archived: 'any' }] : []),
      ...(word.length > 1 && names !== '' ? [{ flow: names }] : []),
    ]
    const ask = async (): Promise<void> => {
      const paths = queries.map((query) => `/runs?${new URLSearchParams({ ...query, limit: String(MOST_RUNS) })}`)
      // an engine that is away is told of by the page: here nothing is found
      const answers = await Promise.all(paths.map((path) => get<RunSummary[]>(path).catch(() => [])))
      const byId = new Map(answers.flat().map((run) => [run.id, run]))
      if (!isOver) setRuns([...byId.values()])
    }
    const timer = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [word, names])
  return runs
}

/** Whether the letters come in the title in this order. */
function fits(title: string, letters: string): boolean {
  let from = 0
  for (const letter of letters.toLowerCase().replaceAll(' ', '')) {
    from = title.toLowerCase().indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}
