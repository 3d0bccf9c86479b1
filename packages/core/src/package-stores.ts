/**
 * What the nodes of packages keep, as nodes of live flows and runs reach it.
 * @module
 */
import { checkStoreKey, checkStoreValue, type ConnectorStore } from '@flow-service/connector-sdk'

import type { StoreHost } from './host.ts'

/** A store that is only asked for what keys and values can be. */
export const checkedStore = (store: ConnectorStore): ConnectorStore => ({
  async get(key) {
    checkStoreKey(key)
    return store.get(key)
  },
  async set(key, value) {
    checkStoreKey(key)
    checkStoreValue(key, value)
    await store.set(key, value)
  },
  async delete(key) {
    checkStoreKey(key)
    return store.delete(key)
  },
})

/** What packages keep for a private run: what it changes is its own. */
export function privateStores(stores: StoreHost): StoreHost {
  const changed = new Map<string, string | null>()
  return {
    of(namespace) {
      const store = stores.of(namespace)
      const get = async (key: string): Promise<string | null> => {
        const own = changed.get(`${namespace}/${key}`)
        return own === undefined ? store.get(key) : own
      }
      return {
        get,
        set: async (key, value) => void changed.set(`${namespace}/${key}`, value),
        async delete(key) {
          const isThere = (await get(key)) !== null
          changed.set(`${namespace}/${key}`, null)
          return isThere
        },
      }
    },
    forgotten: () => 0,
  }
}
