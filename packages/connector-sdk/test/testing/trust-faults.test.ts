/** Faults of what a connector shows and whom it trusts, planted one by one: credentials, and pins of certificates. */
import { expect, test } from 'vitest'

import type { CertificatePin } from '../../src/index.ts'
import type { ContractOptions } from '../../src/testing.ts'
import { Meter } from './meter.ts'
import { failures, Pinning, pinning, plants, Sound } from './planting.ts'

plants({
  'a credential in an error': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async write() {
        await super.write({ limit: 1 }).catch(() => {
          throw new Error(`the meter refuses the token ${this.config.token}`)
        })
      }
    },
    says: 'an error shows a credential when its device goes away',
  },
  'a credential in the health': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async poll() {
        const path = `status?token=${encodeURIComponent(this.config.token)}`
        return super.poll().catch(() => Promise.reject(new Error(`no answer of ${path}`)))
      }
    },
    says: 'the health shows a credential when its device goes away',
  },
  'a credential in the log': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async start() {
        this.ctx.log(`starts with ${JSON.stringify(this.config)}`)
        await super.start()
      }
    },
    says: 'the log shows a credential while all is well',
  },
  'a credential in a value': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async write() {
        return { state: Buffer.from(this.config.token).toString('base64') }
      }
    },
    says: 'a published value shows a credential while all is well',
  },
  'a pin that the fixtures do not tell of': { Class: Pinning, says: 'say "pins: true" in the fixtures' },
  'no pin': { Class: Meter, fixtures: pinning, says: 'no connection of it has a pin' },
  'a pin that accepts every certificate': {
    Class: class extends Pinning {
      static override readonly contract = 1
      override accept(pin: CertificatePin): CertificatePin {
        return async (der) => {
          try {
            await pin(der)
          } catch {
            this.ctx.log('a new certificate')
          }
        }
      }
    },
    fixtures: pinning,
    says: 'shows another certificate than the pinned one, and gets a request',
  },
  'a pin that moves on to the new certificate': {
    Class: class extends Pinning {
      static override readonly contract = 1
      override accept(pin: CertificatePin): CertificatePin {
        return async (der) => {
          try {
            await pin(der)
          } catch (error) {
            await this.store.set('cert:meter', Buffer.from(der).toString('hex'))
            throw error
          }
        }
      }
    },
    fixtures: pinning,
    says: 'another certificate takes the place of the pinned one under "cert:meter"',
  },
  'a pin that is not kept': {
    Class: class extends Pinning {
      static override readonly contract = 1
      override accept(): CertificatePin {
        return () => {}
      }
    },
    fixtures: pinning,
    says: 'the store has no key "cert:<address>"',
  },
  'a refusal that names no key': {
    Class: class extends Pinning {
      static override readonly contract = 1
      override accept(pin: CertificatePin): CertificatePin {
        return async (der) => {
          try {
            await pin(der)
          } catch {
            throw new Error('not my meter')
          }
        }
      }
    },
    fixtures: pinning,
    says: 'does not name the key "cert:meter" to clear: "',
  },
})

test('a connector that pins, without a fault, has none', async () => {
  expect(await failures(Pinning, { fixtures: pinning } as ContractOptions<never>)).toEqual([])
})
