import type { Flow } from '@flow-service/client-sdk'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { type Doc, docOf, nodeOf } from '../src/flow/document.ts'
import { Draft, type DraftPlaces, PAUSE_MS, type Work } from '../src/flow/drafts.ts'
import { addNode, setNode, setSetting } from '../src/flow/edit.ts'
import { docWith, node } from './flow-documents.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

class Refused extends Error {
  readonly errors = []
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/** An engine of one flow, as far as its versions go. */
class Engine implements DraftPlaces {
  stored: Flow
  readonly logged: (Work | null)[] = []
  /** Thrown at the next save, before or after it is stored. */
  before: Error | null = null
  after: Error | null = null
  saves = 0
  constructor(doc: Doc) {
    this.stored = flowOf(doc, 1)
  }
  readonly save = (doc: Doc, version: number): Promise<Flow> => {
    this.saves += 1
    const { before, after } = this
    this.before = this.after = null
    if (before) return Promise.reject(before)
    if (version !== this.stored.version) return Promise.reject(new Refused(409, 'version_conflict'))
    this.stored = flowOf(doc, version + 1)
    return after ? Promise.reject(after) : Promise.resolve(this.stored)
  }
  readonly read = (): Promise<Flow> => Promise.resolve(this.stored)
  readonly log = (work: Work | null): void => void this.logged.push(work)
}

function flowOf(doc: Doc, version: number): Flow {
  return {
    ...doc,
    name: 'f',
    version,
    nodes: [...doc.nodes],
    status: 'draft',
    issues: [],
    held: 0,
    has_draft: true,
    published_version: null,
    is_draft: true,
    origin: 'api',
    code: null,
    node_states: [],
    created_at: '',
    updated_at: '',
    updated_by: null,
  }
}

const start = docWith([node('a'), node('b')])
const opened = (engine: Engine): Draft => new Draft(engine.stored, engine)

test('an edit is logged at once and saved after a pause', async () => {
  const engine = new Engine(start)
  const draft = opened(engine)
  draft.edit('title', setNode('a', { title: 'A' }))
  expect(engine.logged.at(-1)).toMatchObject({ version: 1 })
  expect(draft.state.value).toBe('waiting')
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1)
  expect(engine.saves).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(engine.saves).toBe(1)
  expect(draft.state.value).toBe('saved')
  expect(engine.logged.at(-1)).toBeNull()
  expect(nodeOf(engine.stored, 'a')?.title).toBe('A')
})

// n8n#11638: the tab that saves last loses what the other one has saved
test('of two tabs that save, both have all', async () => {
  const engine = new Engine(start)
  const [one, other] = [opened(engine), opened(engine)]
  one.edit('title', setNode('a', { title: 'A' }))
  other.edit('add', addNode(node('c'), { x: 1, y: 1 }))
  await one.flush()
  await other.flush()
  expect(engine.stored.nodes.map(({ id, title }) => [id, title])).toEqual([
    ['a', 'A'],
    ['b', ''],
    ['c', ''],
  ])
  expect(other.conflicts.value).toEqual([])
  one.meet(engine.stored)
  expect(one.doc.value).toEqual(docOf(engine.stored))
  expect(one.undo()?.title).toBe('title')
  expect(one.doc.value.nodes.map(({ id, title }) => [id, title])).toEqual([
    ['a', ''],
    ['b', ''],
    ['c', ''],
  ])
})

// n8n#18595: both have changed the same, and one of them is never told
test('what both have changed is told to the second one, and either can stand', async () => {
  const engine = new Engine(start)
  const [one, other] = [opened(engine), opened(engine)]
  one.edit('x', setSetting('a', ['x'], 1))
  other.edit('x', setSetting('a', ['x'], 2))
  await one.flush()
  await other.flush()
  expect(nodeOf(engine.stored, 'a')?.settings).toEqual({ x: 2 })
  const [conflict] = other.conflicts.value
  expect(conflict).toMatchObject({ path: ['nodes', 'a', 'settings', 'x'], mine: 2, theirs: 1 })
  if (conflict) other.settle(conflict, 'theirs')
  await other.flush()
  expect(other.conflicts.value).toEqual([])
  expect(nodeOf(engine.stored, 'a')?.settings).toEqual({ x: 1 })
})

// windmill#3646: who leaves the page with something unsaved comes back to the old state
test('who leaves has it saved; while the engine is away it stays logged', async () => {
  const engine = new Engine(start)
  const draft = opened(engine)
  draft.edit('title', setNode('a', { title: 'A' }))
  engine.before = new Refused(0, 'offline')
  draft.close()
  await vi.runAllTimersAsync()
  expect(engine.stored.version).toBe(1)
  const work = engine.logged.at(-1)
  if (!work) throw new Error('nothing is logged')
  // somebody else goes on meanwhile
  await engine.save({ ...start, title: 'Theirs' }, 1)
  const again = opened(engine)
  expect(again.lacks(work)).toBe(true)
  again.goOn(work, 'Take up')
  expect(again.lacks(work)).toBe(false)
  await again.flush()
  expect(engine.stored.title).toBe('Theirs')
  expect(nodeOf(engine.stored, 'a')?.title).toBe('A')
})

test('what is typed before the work of this tab has been read again is newer than it', () => {
  const engine = new Engine(start)
  const before = opened(engine)
  before.edit('x', setSetting('a', ['x'], 4))
  before.edit('title', setNode('a', { title: 'A' }))
  const work = engine.logged.at(-1)
  if (!work) throw new Error('nothing is logged')
  const again = opened(engine)
  again.edit('x', setSetting('a', ['x'], 6))
  again.goOn(work, 'Take up')
  expect(nodeOf(again.doc.value, 'a')).toMatchObject({ title: 'A', settings: { x: 6 } })
  expect(again.conflicts.value).toEqual([])
  again.undo()
  expect(nodeOf(again.doc.value, 'a')).toMatchObject({ title: '', settings: { x: 6 } })
})

test('a save whose answer is lost is no conflict with itself', async () => {
  const engine = new Engine(start)
  const draft = opened(engine)
  draft.edit('add', addNode(node('c'), null))
  engine.after = new Refused(0, 'offline')
  expect(await draft.flush()).toBe(false)
  expect(draft.state.value).toBe('away')
  draft.edit('title', setNode('c', { title: 'C' }))
  await vi.runAllTimersAsync()
  expect(draft.conflicts.value).toEqual([])
  expect(engine.stored.nodes.map(({ id, title }) => [id, title])).toEqual([
    ['a', ''],
    ['b', ''],
    ['c', 'C'],
  ])
})

test('what the engine refuses stays here and is told; the next edit tries again', async () => {
  const engine = new Engine(start)
  const draft = opened(engine)
  draft.edit('title', setNode('a', { title: 'A' }))
  engine.before = new Refused(403, 'forbidden')
  expect(await draft.flush()).toBe(false)
  expect([draft.state.value, draft.problem.value?.code]).toEqual(['refused', 'forbidden'])
  expect(engine.logged.at(-1)).not.toBeNull()
  await vi.runAllTimersAsync()
  expect(engine.saves).toBe(1)
  draft.edit('title', setNode('a', { title: 'B' }))
  await vi.runAllTimersAsync()
  expect([draft.state.value, draft.problem.value]).toEqual(['saved', null])
})

test('what is typed while a save is under way is saved behind it', async () => {
  const engine = new Engine(start)
  const draft = opened(engine)
  draft.edit('title', setNode('a', { title: 'A' }))
  const saving = draft.flush()
  draft.edit('title', setNode('a', { title: 'AB' }))
  await saving
  expect(nodeOf(engine.stored, 'a')?.title).toBe('AB')
  expect(engine.saves).toBe(2)
})
