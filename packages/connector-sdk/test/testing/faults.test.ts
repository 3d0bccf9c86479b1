/** Faults of what a connector declares, reads and writes, and of its life, planted one by one. */
import { once } from 'node:events'
import { createServer, connect, type AddressInfo } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

import { expect, test } from 'vitest'
import * as z from 'zod'

import { Meter } from './meter.ts'
import { failures, plants, type Reading, Sound } from './planting.ts'

const shared = { token: '', nodes: new Set<Meter>(), last: null as Reading }

const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')

plants({
  'an inherited contract': { Class: class extends Meter {}, says: 'declares no contract of its own' },
  'a contract of another engine': {
    Class: class extends Meter {
      static override readonly contract = 2
    },
    says: 'is written for contract 2 of connectors',
  },
  'settings beside the base': {
    Class: class extends Sound {
      static override readonly contract = 1
      static override readonly Params = z.object({ url: z.url(), token: z.string() }) as never
    },
    says: 'no extension of ConnectorParams',
  },
  'a port without a dtype': {
    Class: class extends Sound {
      static override readonly contract = 1
      static override readonly ports = { outputs: { power: 'double' } } as never
    },
    says: 'outputs.power is no dtype',
  },
  'a credential that is a plain setting': {
    Class: class extends Sound {
      static override readonly contract = 1
      static override readonly Params = Meter.Params.extend({ adminPassword: z.string().default('') })
    },
    says: '"adminPassword" looks like a credential',
  },
  'a default that does not validate': {
    Class: class extends Sound {
      static override readonly contract = 1
      static override readonly Params = Meter.Params.extend({ port: z.int().max(65_535).default(70_000) })
    },
    says: 'the default of "port" is 70000, which the setting refuses',
  },
  'a setting that swallows what is wrong': {
    Class: class extends Sound {
      static override readonly contract = 1
      static override readonly Params = Meter.Params.extend({ port: z.int().default(80).catch(80) })
    },
    says: 'the setting "port" takes everything',
  },
  'an interval that goes backwards': {
    Class: class extends Sound {
      static override readonly contract = 1
      static override readonly Params = Meter.Params.extend({ poll_interval: z.number().default(0) })
    },
    says: 'the setting "poll_interval" takes -1',
  },
  'bad settings that are taken': { Class: Meter, fixtures: { badSettings: [{ unit: 'kW' }] }, says: 'are taken' },
  'settings that are changed': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async poll() {
        Object.assign(this.config, { unit: 'kW' })
        return super.poll()
      }
    },
    says: 'config is changed while the node works',
  },
  'a reading for a port that is not declared': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async poll(): Promise<Reading> {
        return { ...(await super.poll()), voltage: 230 } as Reading
      }
    },
    says: 'there is no output port "voltage"',
  },
  'a reading of another dtype': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async poll(): Promise<Reading> {
        return { ...(await super.poll()), power: 'much' as never }
      }
    },
    says: 'output "power" is float, which "much" is not',
  },
  'a reading that needs ports which the flow has not taken': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async poll() {
        if (this.outputs.length < 2) throw new Error('there is no port for the state')
        return super.poll()
      }
    },
    says: 'a node that has only the output "power" fails at its readings',
  },
  'a reading that never gives anything': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async poll() {
        await super.poll()
        return null
      }
    },
    says: 'the first reading gives null',
  },
  'a write that fails': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async write() {
        throw new TypeError('limit.toFixed is not a function')
      }
    },
    says: 'fails: limit.toFixed is not a function',
  },
  'an inject that swallows errors': {
    Class: class extends Sound {
      static override readonly contract = 1
      override inject(values: object) {
        try {
          super.inject(values)
        } catch {
          this.ctx.log('not published')
        }
      }
    },
    says: 'is not refused: leave inject() as it is',
  },
  'what the device says by itself is lost': {
    Class: Meter,
    fixtures: { push: () => {} },
    says: 'what fixtures.push has the device say is not published',
  },
  'a start that does not call that of the base': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async start() {}
    },
    says: 'has to call super.start(app)',
  },
  'a stop that works once': {
    Class: class extends Sound {
      static override readonly contract = 1
      #session: { close(): void } | null = { close: () => {} }
      override async stop() {
        this.#session!.close()
        this.#session = null
        await super.stop()
      }
    },
    says: 'stop() fails when it is called again',
  },
  'a stop that expects a start that worked': {
    Class: class extends Sound {
      static override readonly contract = 1
      #session: { close(): void } | null = null
      override async start() {
        await super.start()
        this.#session = { close: () => {} }
      }
      override async stop() {
        this.#session!.close()
        await super.stop()
      }
    },
    says: 'stop() fails where start() has failed at once',
  },
  'a stop that waits for an answer': {
    Class: class extends Sound {
      static override readonly contract = 1
      #reading: Promise<unknown> = Promise.resolve()
      override async poll() {
        const reading = this.#read()
        this.#reading = reading
        return reading
      }
      async #read(): Promise<Reading> {
        await this.ctx.fetch(this.config.url)
        return super.poll()
      }
      override async stop() {
        await this.#reading.catch(() => {})
        await super.stop()
      }
    },
    says: 'stop() fails while an answer is awaited: it does not end',
  },
  'a request that goes on after the stop': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async poll() {
        await this.ctx.fetch(this.config.url)
        return super.poll()
      }
    },
    says: 'the request to http://meter.local/ is open after the stop: give ctx.fetch { signal: this.ctx.signal }',
  },
  'values that come after the stop': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async stop() {
        void this.#sayGoodbye()
        await super.stop()
      }
      async #sayGoodbye(): Promise<void> {
        for (let turns = 0; turns < 10; turns++) await turn()
        this.inject({ state: 'off' })
      }
    },
    says: 'after its stop it has published state',
  },
  'a connection that is left open': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async start() {
        this.ctx.connect({ host: 'meter.local', port: 502 }).on('error', () => {})
        await super.start()
      }
    },
    fixtures: { connect: () => new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }) },
    says: 'the connection to meter.local:502 is open after the stop: end it in stop()',
  },
  'a timer that goes on': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async start() {
        setInterval(() => {}, 3_600_000).unref()
        await super.start()
      }
    },
    says: 'after its stop there is still a timer',
  },
  'a server that goes on': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async start() {
        const server = createServer().listen(0, '127.0.0.1').unref()
        await once(server, 'listening')
        await super.start()
      }
    },
    says: 'after its stop there is still a server',
  },
  'a way around the egress rules': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async start() {
        const { port } = server.address() as AddressInfo
        const socket = connect(port, '127.0.0.1')
        await once(socket, 'connect')
        socket.destroy()
        await super.start()
      }
    },
    says: 'it opens a connection by itself',
  },
  'a global variable': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async start() {
        Object.assign(globalThis, { [`meter${Math.random()}`]: this })
        await super.start()
      }
    },
    says: 'it sets globalThis.meter',
  },
  'a device that is gone and not missed': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async poll() {
        return super.poll().catch(() => null)
      }
    },
    says: 'its device does not answer, and it is "ok"',
  },
  'a device that is back and not noticed': {
    Class: class extends Sound {
      static override readonly contract = 1
      #isLost = false
      override async poll() {
        if (this.#isLost) throw new Error('the meter is lost')
        return super.poll().catch((error: unknown) => {
          this.#isLost = true
          throw error
        })
      }
    },
    says: 'its device answers again, and it is still "down" (the meter is lost)',
  },
  'an error without a handler': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async poll() {
        void this.ask('ping')
        return super.poll()
      }
    },
    says: 'an error of it has no handler',
  },
  'a callback that throws': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async start() {
        this.ctx.every(1, () => {
          if (this.ctx.signal.aborted) return
          throw new Error('nobody looks after this')
        })
        await super.start()
      }
    },
    says: 'a callback of it throws: nobody looks after this',
  },
  'a credential of one node that another one sends': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async ask(path: string, init?: RequestInit) {
        shared.token ||= this.config.token
        const headers = { authorization: shared.token }
        return this.ctx.fetch(new URL(path, this.config.url).href, { ...init, headers, signal: this.ctx.signal })
      }
    },
    says: 'a node sends the credential of another one',
  },
  'readings that all nodes have in common': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async poll() {
        const values = await super.poll()
        const isKnown = isDeepStrictEqual(values, shared.last)
        shared.last = values
        return isKnown ? null : values
      }
    },
    says: 'it publishes no reading where another node has done so before',
  },
  'a stop that ends other nodes': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async start() {
        shared.nodes.add(this)
        await super.start()
      }
      override async stop() {
        const nodes = [...shared.nodes]
        shared.nodes.clear()
        await super.stop()
        for (const node of nodes) await node.stop()
      }
    },
    says: 'when one node stops, another takes no readings any more',
  },
  'a key that the store refuses': {
    Class: class extends Sound {
      static override readonly contract = 1
      override async start() {
        await this.store.set('meter/seen', 'yes').catch(() => {})
        await super.start()
      }
    },
    says: 'the store refuses it: the key "meter/seen" holds a "/"',
  },
})

test('a connector without a fault has none', async () => {
  expect(await failures(Meter)).toEqual([])
})
