/**
 * Where edits are kept until the engine has them: in this browser, by flow and tab. So a tab that is closed, a session that
 * ends or an engine that is away costs no work. Who else signs in here does not see it.
 */
import { base } from '../api/call.ts'
import type { Work } from './drafts.ts'
import { areOpen, tab } from './tabs.ts'

/** Work of a tab. */
export interface LoggedWork extends Work {
  /** Of the engine, its flow, the user and the tab. */
  readonly key: string
  readonly owner: string
  readonly tab: string
  /** When it was logged, in milliseconds. */
  readonly at: number
}

const STORE = 'work'

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

const ownerOf = (flow: string, user: string): string => `${base} ${user} ${flow}`

/** Logs of one flow for one user; one write at a time, the newest work last. */
export function workLog(flow: string, user: string, fail: (error: unknown) => void): (work: Work | null) => void {
  const owner = ownerOf(flow, user)
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
        const key = `${owner} ${name}`
        // oxlint-disable-next-line no-await-in-loop -- as above
        await (work === null
          ? forgetKey(key)
          : within('readwrite', (store) => store.put({ ...work, key, owner, tab: name, at: Date.now() })))
      }
    } catch (error) {
      fail(error)
    } finally {
      isBusy = false
    }
  }
  return (work) => {
    next = { work }
    void write()
  }
}

const forgetKey = (key: string): Promise<undefined> => within('readwrite', (store) => store.delete(key))

export const forget = ({ key }: LoggedWork): Promise<undefined> => forgetKey(key)

/** What this tab has logged before it was loaded anew, and what tabs have logged that are closed. */
export async function worksOf(
  flow: string,
  user: string,
): Promise<{ readonly own: LoggedWork | null; readonly others: readonly LoggedWork[] }> {
  const name = await tab()
  const all = (await within('readonly', (store) => store.index('owner').getAll(ownerOf(flow, user)))) as LoggedWork[]
  const others = all.filter((work) => work.tab !== name)
  const open = others.length === 0 ? new Set<string>() : await areOpen(others.map((work) => work.tab))
  return { own: all.find((work) => work.tab === name) ?? null, others: others.filter((work) => !open.has(work.tab)) }
}
