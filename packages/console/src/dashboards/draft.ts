/**
 * A dashboard while it is edited: kept for the tab at once, saved as its draft after a pause, undone step by step. Where
 * somebody else has saved meanwhile nothing is overwritten: both forms are there to choose from.
 */
import type { Dashboard, DashboardContentOutput, Issue } from '@flow-service/client-sdk'
import { type ReadonlySignal, signal, type Signal } from '@preact/signals'

import { call, get, Problem } from '../api/call.ts'

export interface BoardForm {
  readonly title: string
  readonly content: DashboardContentOutput
}

export interface DraftNow extends BoardForm {
  /** Whether the engine has it. */
  readonly state: 'saved' | 'waiting' | 'saving' | 'refused' | 'conflict'
  /** Why it is not saved. */
  readonly problem: Problem | null
  readonly issues: readonly Issue[]
  /** What somebody else has saved. */
  readonly theirs: Dashboard | null
  readonly canUndo: boolean
}

/** After the last change. */
const PAUSE_MS = 1000
const MOST_UNDONE = 100
const keyOf = (name: string): string => `flow-service.board.${name}`

/** What a tab has not saved yet survives a reload of it. */
function keptForm(name: string): BoardForm | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null')
    return typeof kept === 'object' && kept !== null && 'content' in kept ? (kept as BoardForm) : null
  } catch {
    return null
  }
}

/** The draft of a dashboard in this tab. */
export class Draft {
  readonly #name: string
  readonly #now: Signal<DraftNow>
  #version: number
  #done: BoardForm[] = []
  #timer = 0
  #saving: Promise<void> | null = null

  constructor({ name, title, content, version, issues }: Dashboard) {
    const kept = keptForm(name)
    this.#name = name
    this.#version = version
    this.#now = signal<DraftNow>({
      ...(kept ?? { title, content }),
      state: kept === null ? 'saved' : 'waiting',
      problem: null,
      issues,
      theirs: null,
      canUndo: false,
    })
    if (kept !== null) this.#later()
  }

  get now(): ReadonlySignal<DraftNow> {
    return this.#now
  }

  change(to: Partial<BoardForm>): void {
    this.#remember()
    const { title, content } = this.#now.peek()
    this.#put({ title, content, ...to })
  }

  undo(): void {
    const before = this.#done.at(-1)
    if (!before) return
    this.#done = this.#done.slice(0, -1)
    this.#put(before)
  }

  /** Saves at once; resolves with the version when the engine has it all, and else with null. */
  async save(): Promise<number | null> {
    clearTimeout(this.#timer)
    while (this.#now.peek().state === 'waiting' || this.#saving) {
      this.#saving ??= this.#send().finally(() => (this.#saving = null))
      // oxlint-disable-next-line no-await-in-loop -- what changed meanwhile is saved behind it
      await this.#saving
    }
    return this.#now.peek().state === 'saved' ? this.#version : null
  }

  /** In a conflict: what somebody else has saved, or what stands here over it. */
  take(which: 'theirs' | 'mine'): void {
    const { theirs, title, content } = this.#now.peek()
    if (!theirs) return
    this.#version = theirs.version
    this.#set({ state: 'waiting', theirs: null, problem: null })
    if (which === 'mine') return this.#put({ title, content })
    this.#remember()
    sessionStorage.removeItem(keyOf(this.#name))
    this.#set({ title: theirs.title, content: theirs.content, state: 'saved', canUndo: true, issues: theirs.issues })
  }

  /** Nothing is lost by leaving: what waits goes now. */
  close(): void {
    if (this.#now.peek().state === 'waiting') void this.save()
  }

  #remember(): void {
    const { title, content } = this.#now.peek()
    this.#done = [...this.#done, { title, content }].slice(-MOST_UNDONE)
  }

  #set(to: Partial<DraftNow>): void {
    this.#now.value = { ...this.#now.peek(), ...to }
  }

  #put({ title, content }: BoardForm): void {
    sessionStorage.setItem(keyOf(this.#name), JSON.stringify({ title, content }))
    const isDisputed = this.#now.peek().state === 'conflict'
    this.#set({ title, content, canUndo: this.#done.length > 0, state: isDisputed ? 'conflict' : 'waiting' })
    if (!isDisputed) this.#later()
  }

  #later(): void {
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => void this.save(), PAUSE_MS)
  }

  async #send(): Promise<void> {
    const { title, content } = this.#now.peek()
    const at = `/dashboards/${encodeURIComponent(this.#name)}`
    this.#set({ state: 'saving' })
    try {
      const made = await call<Dashboard>('PUT', at, { title, content, version: this.#version })
      this.#version = made.version
      const now = this.#now.peek()
      const isCurrent = now.title === title && now.content === content
      if (isCurrent) sessionStorage.removeItem(keyOf(this.#name))
      this.#set({ state: isCurrent ? 'saved' : 'waiting', problem: null, issues: made.issues })
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
      this.#set(
        problem.status === 409
          ? { state: 'conflict', problem, theirs: await get<Dashboard>(`${at}?draft=true`) }
          : { state: 'refused', problem },
      )
    }
  }
}
