/**
 * Where edits are kept until the engine has them: in this browser, by flow and tab. So a tab that is closed, a session that
 * ends or an engine that is away costs no work. Who else signs in here does not see it.
 */
import { base } from '../api/call.ts'
import type { Work } from './drafts.ts'
import { areOpen, newName, tab, tabNow } from './tabs.ts'

/** Work of a tab. */
export interface LoggedWork extends Work {
  /** Of the engine, its flow, the user and the tab. */
  readonly key: string
  readonly owner: string
  readonly tab: string
  /** The log that wrote it: a page that is left may be told that all is saved when the next one has work again. */
  readonly by: string
  /** When it was logged, in milliseconds. */
  readonly at: number
}

const STORE = 'work'
/** Before the key of work that a page could not give to the database any more when it was left. */
const LATE = 'flow-service.work '

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open('flow-service.console', 1)
    asked.addEventListener('upgradeneeded', () => {
      asked.result.createObjectStore(STORE, { keyPath: 'key' }).createIndex('owner', 'owner')
    })
    asked.addEventListener('success', () => resolve(asked.result))
    asked.addEventListener('error', () => reject(asked.error ?? new Error('the browser keeps nothing')))
  })
}

async function within<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await opened()
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode)
      const asked = act(transaction.objectStore(STORE))
      transaction.addEventListener('complete', () => resolve(asked.result))
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('the browser keeps nothing')))
    })
  } finally {
    database.close()
  }
}

const keyOf = (owner: string, name: string): string => `${owner} ${name}`

/** Work that is not in the database yet, by the log that writes it. */
const unsafe = new Map<string, Work & Pick<LoggedWork, 'owner'>>()

addEventListener('pagehide', () => {
  const name = tabNow()
  if (name === null) return
  for (const [by, work] of unsafe) {
    const key = keyOf(work.owner, name)
    try {
      localStorage.setItem(
        LATE + key,
        JSON.stringify({ ...work, key, by, tab: name, at: Date.now() } satisfies LoggedWork),
      )
    } catch {
      // larger than what may be kept there: the write that is under way is all there is
    }
  }
})

const ownerOf = (flow: string, user: string): string => `${base} ${user} ${flow}`

/**
 * Logs of one flow for one user; one write at a time, the newest work last. A page that is left before its last write is
 * done keeps the work where that needs no time.
 */
export function workLog(flow: string, user: string, fail: (error: unknown) => void): (work: Work | null) => void {
  const owner = ownerOf(flow, user)
  const by = newName()
  let next: { readonly work: Work | null } | null = null
  let isBusy = false
  const write = async (): Promise<void> => {
    if (isBusy) return
    isBusy = true
    try {
      while (next) {
        const { work } = next
        next = null
        // oxlint-disable-next-line no-await-in-loop -- in the order of the work
        const name = await tab()
        const key = keyOf(owner, name)
        // oxlint-disable-next-line no-await-in-loop -- as above
        await (work === null
          ? forgetOf(key, by)
          : within('readwrite', (store) => store.put({ ...work, key, owner, by, tab: name, at: Date.now() })))
        if (next === null) unsafe.delete(by)
        // a page that was left may be come back to
        localStorage.removeItem(LATE + key)
      }
    } catch (error) {
      fail(error)
    } finally {
      isBusy = false
    }
  }
  return (work) => {
    next = { work }
    if (work === null) unsafe.delete(by)
    else unsafe.set(by, { ...work, owner })
    void write()
  }
}

const forgetOf = (key: string, by: string): Promise<unknown> =>
  within('readwrite', (store) => {
    const asked: IDBRequest<LoggedWork | undefined> = store.get(key)
    asked.addEventListener('success', () => {
      if (asked.result?.by === by) store.delete(key)
    })
    return asked
  })

export const forget = ({ key }: LoggedWork): Promise<undefined> => within('readwrite', (store) => store.delete(key))

/** Brings into the database what pages have kept beside it when they were left. */
async function takeLate(owner: string): Promise<void> {
  for (const place of Object.keys(localStorage).filter((each) => each.startsWith(`${LATE}${owner} `))) {
    const kept = localStorage.getItem(place)
    // oxlint-disable-next-line no-await-in-loop -- one flow has hardly two
    if (kept !== null) await within('readwrite', (store) => store.put(JSON.parse(kept) as LoggedWork))
    localStorage.removeItem(place)
  }
}

/** What this tab has logged before it was loaded anew, and what tabs have logged that are closed. */
export async function worksOf(
  flow: string,
  user: string,
): Promise<{ readonly own: LoggedWork | null; readonly others: readonly LoggedWork[] }> {
  const name = await tab()
  await takeLate(ownerOf(flow, user))
  const all = (await within('readonly', (store) => store.index('owner').getAll(ownerOf(flow, user)))) as LoggedWork[]
  const others = all.filter((work) => work.tab !== name)
  const open = others.length === 0 ? new Set<string>() : await areOpen(others.map((work) => work.tab))
  return { own: all.find((work) => work.tab === name) ?? null, others: others.filter((work) => !open.has(work.tab)) }
}
