/**
 * All that the parts of the flow page need to edit a flow: its draft, the node types, who edits it, and what the engine has against
 * it. `useEditing` holds it while the page shows the flow; of a flow in code there is none.
 */
import type { Flow, Issue, NodeType, User } from '@flow-service/client-sdk'
import { effect, type Signal, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

import { call, get, post, Problem } from '../api/call.ts'
import { useResource } from '../api/resource.ts'
import { say, sayFault } from '../parts/toast.tsx'
import { type Doc, docOf, isSame } from './document.ts'
import { Draft } from './drafts.ts'
import { forget, type LoggedWork, workLog, worksOf } from './work-log.ts'

export interface Editing {
  readonly name: string
  readonly draft: Draft
  /** What the engine finds in what is on the page, a moment later. */
  readonly issues: Signal<readonly Issue[]>
  /** Work of tabs that were closed before it was saved. */
  readonly offers: Signal<readonly LoggedWork[]>
}

export const pathOf = (name: string): string => `/flows/${encodeURIComponent(name)}`

/** So long after an edit it is checked. */
const CHECK_MS = 500

/** Null until it is there, and of flows that cannot be edited. */
export function useEditing(flow: Flow | undefined): Editing | null {
  const { data: user } = useResource<User>('/users/me').value
  const [editing, setEditing] = useState<Editing | null>(null)
  const isReady = flow !== undefined && user !== undefined && flow.origin === 'api'
  useEffect(() => {
    if (!isReady) return
    const made = begin(flow, user.id)
    setEditing(made.editing)
    return () => {
      made.end()
      setEditing(null)
    }
  }, [isReady, flow?.name, user?.id])
  // what others save comes in as soon as the page hears of it
  useEffect(() => {
    if (flow && editing?.name === flow.name) editing.draft.meet(flow)
  }, [flow, editing])
  return editing?.name === flow?.name ? editing : null
}

const bodyOf = (doc: Doc, version: number) => ({ ...doc, version })

function begin(flow: Flow, user: string): { readonly editing: Editing; readonly end: () => void } {
  const { name } = flow
  const path = pathOf(name)
  let isTold = false
  const log = workLog(name, user, () => {
    if (!isTold) say('This browser keeps no unsaved work: wait for "Saved" before you close the page.')
    isTold = true
  })
  const draft = new Draft(flow, {
    save: (doc, version) => call<Flow>('PUT', path, bodyOf(doc, version)),
    read: () => get<Flow>(path),
    log,
  })
  const editing: Editing = { name, draft, issues: signal(flow.issues), offers: signal([]) }
  let isOver = false
  worksOf(name, user).then(
    ({ own, others }) => {
      if (isOver) return
      if (own && draft.lacks(own)) draft.goOn(own, 'Take up unsaved work')
      else if (own) void forget(own).catch(() => {})
      editing.offers.value = others.filter((work) => draft.lacks(work))
      for (const work of others) if (!draft.lacks(work)) void forget(work).catch(() => {})
    },
    // nothing is kept here, so nothing can be offered
    () => {},
  )
  const endChecks = keepChecking(editing, path)
  return {
    editing,
    end: () => {
      isOver = true
      endChecks()
      draft.close()
    },
  }
}

/** Takes up work of a closed tab, or lets it go. */
export async function answerOffer(editing: Editing, work: LoggedWork, isWanted: boolean): Promise<void> {
  if (isWanted) editing.draft.resume(work, 'Take up work of a closed tab')
  editing.offers.value = editing.offers.peek().filter((one) => one !== work)
  await forget(work).catch(sayFault)
}

function keepChecking({ draft, issues }: Editing, path: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let newest: Doc | null = null
  const check = async (doc: Doc): Promise<void> => {
    const found = await issuesOf(path, doc, draft.flow.peek().version)
    // an answer to what was there before says nothing of what is there now
    if (found !== null && newest === doc) issues.value = found
  }
  const end = effect(() => {
    const doc = draft.doc.value
    const flow = draft.flow.value
    clearTimeout(timer)
    newest = doc
    if (isSame(doc, docOf(flow))) {
      issues.value = flow.issues
      return
    }
    timer = setTimeout(() => void check(doc), CHECK_MS)
  })
  return () => {
    end()
    clearTimeout(timer)
    newest = null
  }
}

/** Null when nobody answers. */
async function issuesOf(path: string, doc: Doc, version: number): Promise<readonly Issue[] | null> {
  try {
    return (await post<{ issues: Issue[] }>(`${path}/validate`, bodyOf(doc, version))).issues
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) return null
    return error.errors.map(({ path: at, message }) => issueAt(doc, at, message))
  }
}

/** What makes a document no document, in the form of everything else that is wrong with it. */
const issueAt = (doc: Doc, path: string, message: string): Issue => ({
  severity: 'error',
  code: 'bad_setting',
  message,
  node: doc.nodes[Number(/^\/nodes\/(\d+)/.exec(path)?.[1] ?? -1)]?.id ?? null,
  path,
})

/** What is wrong with a node, by JSON pointers that begin at it. */
export function faultsOfNode(issues: readonly Issue[], node: string): Readonly<Record<string, string>> {
  const found = issues.flatMap(({ node: id, path, message, severity }) =>
    id === node && path !== null && severity !== 'advisory'
      ? [[path.replace(/^\/nodes\/\d+/, ''), capital(message)] as const]
      : [],
  )
  return Object.fromEntries(found.toReversed())
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const useNodeTypes = (): readonly NodeType[] => useResource<NodeType[]>('/flows/node-types').value.data ?? []
export const useSecrets = (): readonly string[] => useResource<string[]>('/secrets/').value.data ?? []
export const useIsSuperuser = (): boolean => useResource<User>('/users/me').value.data?.is_superuser ?? false
