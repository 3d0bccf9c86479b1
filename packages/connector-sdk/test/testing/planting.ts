/** Faults that are planted in a connector one by one: the contract suite has to find each, and name it. */
import { expect, test } from 'vitest'

import { type CertificatePin, type ConnectorClass, pinnedTls } from '../../src/index.ts'
import { type ContractFixtures, type ContractOptions, contractSuite } from '../../src/testing.ts'
import { fixtures, Meter, params } from './meter.ts'

/** The tests of the suite that fail for a class, by title. */
export async function failures(Class: unknown, options: ContractOptions<never> = {}): Promise<string[]> {
  const tests: { title: string; run: (context?: unknown) => Promise<void> }[] = []
  const collect = (title: string, run: () => Promise<void>): unknown => tests.push({ title, run })
  const more = options as unknown as ContractOptions<typeof Meter>
  contractSuite(Class as typeof Meter, {
    test: collect,
    params: { ...params, ...more.params },
    fixtures: { ...fixtures, ...more.fixtures },
  })
  const failed: string[] = []
  for (const { title, run } of tests) await run().catch((error: Error) => failed.push(`${title}: ${error.message}`))
  return failed
}

export type Reading = { readonly power?: number; readonly state?: string } | null

/** A meter with a fault, which declares its contract as it should. */
export class Sound extends Meter {
  static override readonly contract = 1
}

/** A meter that pins the certificate of its device. */
export class Pinning extends Sound {
  static override readonly contract = 1
  #pin: CertificatePin | null = null
  override async start() {
    this.#pin = this.accept(await pinnedTls(this.store, 'meter'))
    await super.start()
  }
  accept(pin: CertificatePin): CertificatePin {
    return pin
  }
  override async ask(path: string, init: RequestInit = {}) {
    const headers = { authorization: `Bearer ${this.config.token}` }
    const { signal } = this.ctx
    return this.ctx.fetch(`https://meter.local/${path}`, {
      ...init,
      headers,
      signal,
      ...(this.#pin && { pin: this.#pin }),
    })
  }
}

export const pinning = { pins: true }

export interface Fault {
  readonly Class: ConnectorClass | (abstract new (...args: never[]) => unknown)
  /** What one of the failing tests says. */
  readonly says: string
  readonly params?: Record<string, unknown>
  readonly fixtures?: Partial<ContractFixtures<typeof Meter>>
}

/** A test for each fault. */
export function plants(faults: Readonly<Record<string, Fault>>): void {
  test.each(Object.entries(faults))('the contract suite finds %s', async (_name, { Class, says, ...options }) => {
    const failed = await failures(Class, options as ContractOptions<never>)
    expect(failed.find((text) => text.includes(says)) ?? failed).toContain(says)
  })
}
