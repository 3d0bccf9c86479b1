/**
 * What the nodes of a package keep, in memory, with the limits of the engine.
 * @module
 */
import { MAX_STORE_KEYS } from '@flow-service/protocol'

import { checkStoreKey, checkStoreValue, type ConnectorStore, storeIsFull } from '../store.ts'

/** One object a package: nodes that are given the same one share it, also one after the other. */
export class FakeStore implements ConnectorStore {
  /** What is kept, by key. */
  readonly texts = new Map<string, string>()
  /** What it was asked for beyond its limits, in words. */
  readonly refused: string[] = []
  #fault: Error | null = null

  /** From now on every call rejects with this error, as when the database is away; null ends that. */
  failWith(fault: Error | null): void {
    this.#fault = fault
  }

  async get(key: string): Promise<string | null> {
    this.#check(() => checkStoreKey(key))
    return this.texts.get(key) ?? null
  }

  async set(key: string, value: string): Promise<void> {
    this.#check(() => {
      checkStoreKey(key)
      checkStoreValue(key, value)
      if (!this.texts.has(key) && this.texts.size === MAX_STORE_KEYS) throw storeIsFull(key)
    })
    this.texts.set(key, value)
  }

  async delete(key: string): Promise<boolean> {
    this.#check(() => checkStoreKey(key))
    return this.texts.delete(key)
  }

  #check(limits: () => void): void {
    try {
      limits()
    } catch (error) {
      this.refused.push((error as Error).message)
      throw error
    }
    if (this.#fault !== null) throw this.#fault
  }
}
