/**
 * The work on a flow in this tab. Every edit is logged in the browser at once and saved as the draft soon after, with the version
 * that it began with. Where somebody else has saved meanwhile, both are brought together: nothing is thrown away and nobody
 * is asked before they go on. The flow page holds one while it shows a flow.
 */
import type { Flow } from '@flow-service/client-sdk'
import { type ReadonlySignal, signal } from '@preact/signals'

import type { Problem } from '../api/call.ts'
import { type Doc, docOf, isSame } from './document.ts'
import { type Command, command, type Edit, emptyHistory, type History, remembered, toRedo, toUndo } from './edit.ts'
import { type Conflict, merge, type Merged, takeTheirs } from './merge.ts'

/** What a log keeps: where the work began, and how far it is. */
export interface Work {
  readonly base: Doc
  readonly doc: Doc
  readonly version: number
}

/** Why something is not saved: a {@link Problem}, as far as it matters here. */
type Refusal = Pick<Problem, 'status' | 'code' | 'message' | 'errors'>

/** Where drafts are saved and logged. */
export interface DraftPlaces {
  /** Rejects with a {@link Problem}; `version_conflict` when somebody else was faster. */
  readonly save: (doc: Doc, version: number) => Promise<Flow>
  readonly read: () => Promise<Flow>
  /** Null: all of it is saved. */
  readonly log: (work: Work | null) => void
}

/** `waiting`: for a pause in the work. `refused`: the next edit tries again. `away`: the engine does not answer. */
export type SaveState = 'saved' | 'waiting' | 'saving' | 'refused' | 'away'

/** So long after the last edit it is saved. */
export const PAUSE_MS = 1500
/** So long after an attempt that met no engine. */
const AGAIN_MS = 5000
/** Somebody who saves faster than this page can read has the floor. */
const MOST_TRIES = 5

export class Draft {
  readonly #places: DraftPlaces
  readonly #flow
  readonly #doc
  readonly #state = signal<SaveState>('saved')
  readonly #problem = signal<Refusal | null>(null)
  readonly #conflicts = signal<readonly Conflict[]>([])
  readonly #history = signal<History>(emptyHistory)
  /** What the engine has. */
  #base: Doc
  #version: number
  /** What may have been stored, though no answer came. */
  #sent: Doc | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #saving: Promise<boolean> | null = null
  #isOver = false

  constructor(flow: Flow, places: DraftPlaces) {
    this.#places = places
    this.#base = docOf(flow)
    this.#version = flow.version
    this.#flow = signal(flow)
    this.#doc = signal(this.#base)
  }

  /** What the engine said last. */
  get flow(): ReadonlySignal<Flow> {
    return this.#flow
  }
  get doc(): ReadonlySignal<Doc> {
    return this.#doc
  }
  get state(): ReadonlySignal<SaveState> {
    return this.#state
  }
  /** Why it is not saved. */
  get problem(): ReadonlySignal<Refusal | null> {
    return this.#problem
  }
  /** What others have changed too, and nobody has looked at yet. */
  get conflicts(): ReadonlySignal<readonly Conflict[]> {
    return this.#conflicts
  }
  get history(): ReadonlySignal<History> {
    return this.#history
  }

  /** `of`: edits of the same thing in a row are one command. */
  edit(title: string, edit: Edit, of: string | null = null): void {
    const next = command(title, this.#doc.peek(), edit, of)
    if (next === null) return
    this.#history.value = remembered(this.#history.peek(), next)
    this.#change(next.do(this.#doc.peek()))
  }

  undo(): Command | null {
    return this.#step(toUndo(this.#history.peek()), 'undo')
  }

  redo(): Command | null {
    return this.#step(toRedo(this.#history.peek()), 'do')
  }

  #step(step: ReturnType<typeof toUndo>, way: 'do' | 'undo'): Command | null {
    if (step === null) return null
    this.#history.value = step.history
    this.#change(step.command[way](this.#doc.peek()))
    return step.command
  }

  #change(doc: Doc): void {
    this.#doc.value = doc
    this.#log()
    if (isSame(doc, this.#base) && this.#saving === null) {
      clearTimeout(this.#timer)
      this.#state.value = 'saved'
      return
    }
    this.#wait(PAUSE_MS)
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#state.peek() !== 'away') this.#state.value = 'waiting'
    if (!this.#isOver) this.#timer = setTimeout(() => void this.flush(), ms)
  }

  #log(): void {
    const [base, doc] = [this.#base, this.#doc.peek()]
    this.#places.log(isSame(base, doc) ? null : { base, doc, version: this.#version })
  }

  /** Takes up work that was logged by another tab: its changes are mine. */
  resume({ base, doc }: Work, title: string): void {
    this.#takeUp(merge(base, doc, this.#doc.peek()), title)
  }

  /** Takes up work that this tab has logged before: what was edited since then is newer. */
  goOn({ base, doc }: Work, title: string): void {
    const { doc: before, conflicts } = merge(base, doc, this.#base)
    this.#takeUp({ doc: merge(this.#base, this.#doc.peek(), before).doc, conflicts }, title)
  }

  #takeUp({ doc, conflicts }: Pick<Merged, 'doc' | 'conflicts'>, title: string): void {
    const next = command(title, this.#doc.peek(), () => doc)
    if (next === null) return
    this.#tell(conflicts)
    this.#history.value = remembered(this.#history.peek(), next)
    this.#change(doc)
  }

  /** Whether there is anything in the work that this draft lacks. */
  lacks({ base, doc }: Work): boolean {
    const now = this.#doc.peek()
    return !isSame(merge(base, doc, now).doc, now)
  }

  /** What the engine has made of the flow, at the wish of this tab: it can be undone as any edit. */
  adopt(title: string, flow: Flow): void {
    this.edit(title, () => docOf(flow))
    this.meet(flow)
  }

  /** What the engine has now, as far as it is news. */
  meet(flow: Flow): void {
    if (flow.version < this.#version || this.#saving !== null) return
    this.#flow.value = flow
    // where nothing but places differs there is no new version, and an answer may be older than what was saved
    if (flow.version > this.#version) this.#mergeWith(flow, this.#base)
  }

  #mergeWith(flow: Flow, base: Doc): void {
    const theirs = docOf(flow)
    const { doc, conflicts } = merge(base, this.#doc.peek(), theirs)
    this.#flow.value = flow
    this.#base = theirs
    this.#sent = null
    this.#version = flow.version
    this.#doc.value = doc
    this.#tell(conflicts)
    this.#log()
    if (isSame(doc, theirs)) {
      if (this.#saving === null) this.#saved()
    } else if (this.#saving === null) this.#wait(PAUSE_MS)
  }

  #tell(conflicts: readonly Conflict[]): void {
    if (conflicts.length === 0) return
    const isOld = (known: Conflict): boolean => conflicts.some(({ path }) => isSame(path, known.path))
    this.#conflicts.value = [...this.#conflicts.peek().filter((known) => !isOld(known)), ...conflicts]
  }

  /** Ends a conflict: mine stays, or theirs is taken. */
  settle(conflict: Conflict, with_: 'mine' | 'theirs'): void {
    this.#conflicts.value = this.#conflicts.peek().filter((one) => one !== conflict)
    if (with_ === 'theirs') this.edit('Take what others saved', (doc) => takeTheirs(doc, conflict))
  }

  #saved(): void {
    clearTimeout(this.#timer)
    this.#state.value = 'saved'
    this.#problem.value = null
  }

  /** Saves what there is now. Whether all of it is saved then. */
  flush(): Promise<boolean> {
    clearTimeout(this.#timer)
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = null
      this.#log()
    })
    return this.#saving
  }

  async #saveAll(): Promise<boolean> {
    for (let tries = 0; tries < MOST_TRIES && !isSame(this.#doc.peek(), this.#base);) {
      this.#state.value = 'saving'
      const doc = this.#doc.peek()
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other: each has the version of the one before
        const flow = await this.#places.save(doc, this.#version)
        this.#problem.value = null
        this.#mergeWith(flow, doc)
        tries = 0
      } catch (error) {
        tries += 1
        // oxlint-disable-next-line no-await-in-loop -- as above
        if (!(await this.#isMet(error))) return this.#failed(error, doc)
      }
    }
    if (isSame(this.#doc.peek(), this.#base)) {
      this.#saved()
      return true
    }
    this.#wait(AGAIN_MS)
    return false
  }

  /** Whether the save may be tried again, on top of what others have saved. */
  async #isMet(error: unknown): Promise<boolean> {
    if (!isRefusal(error) || error.code !== 'version_conflict') return false
    try {
      const flow = await this.#places.read()
      const isMine = this.#sent !== null && isSame(docOf(flow), this.#sent)
      this.#mergeWith(flow, isMine && this.#sent ? this.#sent : this.#base)
      return true
    } catch {
      return false
    }
  }

  #failed(error: unknown, doc: Doc): false {
    const problem = isRefusal(error) ? error : { status: 0, code: 'unknown', message: String(error), errors: [] }
    this.#problem.value = problem
    const isAway = problem.status === 0 || problem.status >= 500
    this.#state.value = isAway ? 'away' : 'refused'
    if (isAway) {
      this.#sent = doc
      this.#wait(AGAIN_MS)
    }
    return false
  }

  /** Another flow is shown, or none: what is not saved yet is saved now, and logged until it is. */
  close(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    if (!isSame(this.#doc.peek(), this.#base)) void this.flush()
  }
}

const isRefusal = (error: unknown): error is Error & Refusal =>
  error instanceof Error && 'status' in error && 'code' in error && 'errors' in error
