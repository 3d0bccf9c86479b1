/**
 * One connection to a unit, from the first byte to its end. `jsmodbus` makes the requests and reads the answers; it gets
 * whole frames that fit the request, and everything else ends the connection: what comes after it could be the answer to
 * anything.
 * @module
 */
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { reasonOf } from '@flow-service/connector-sdk'
import { ModbusTCPClient } from 'jsmodbus'

import type { Block } from './blocks.ts'
import { answerFault, frameSize, refusalIn } from './frame.ts'

/** The library times requests by the clock of the machine; they are bounded by the engine's. */
const NEVER_MS = 2 ** 31 - 1

const ILLEGAL_FUNCTION = 1

/** The connection cannot be used any more; `isQuiet` when it has ended without a byte of an answer. */
export class ConnectionFault extends Error {
  override readonly name = 'ConnectionFault'
  readonly isQuiet: boolean

  constructor(message: string, { isQuiet = false } = {}) {
    super(message)
    this.isQuiet = isQuiet
  }
}

/** The unit has understood the request, and refuses it with a code of the protocol. */
export class UnitRefusal extends Error {
  override readonly name = 'UnitRefusal'
  readonly code: number

  constructor(code: number) {
    super(`${words[code] ?? 'an exception that the protocol does not know'} (${code})`)
    this.code = code
  }
}

/** Exception codes of the protocol (section 7). */
const words: Readonly<Record<number, string>> = {
  1: 'illegal function',
  2: 'illegal data address',
  3: 'illegal data value',
  4: 'device failure',
  5: 'acknowledged, still at work',
  6: 'device busy',
  8: 'memory parity error',
  10: 'gateway path unavailable',
  11: 'gateway target gave no response',
}

/** Opens when it is made, with the stream it gets. One request at a time. */
export class UnitConnection {
  readonly #stream: Duplex
  /** The stream as the library wants it: a socket that tells when it is connected. */
  readonly #face = new EventEmitter()
  readonly #client: ModbusTCPClient
  #bytes = Buffer.alloc(0)
  /** The request that goes on, as it was sent. */
  #sent: Buffer | null = null
  #fail: ((fault: ConnectionFault) => void) | null = null
  #fault: ConnectionFault | null = null
  /** What the request that goes on has come to. */
  #refusal: UnitRefusal | null = null

  constructor(stream: Duplex, unit: number) {
    this.#stream = stream
    Object.assign(this.#face, { write: (bytes: Buffer) => this.#send(bytes) })
    this.#client = new ModbusTCPClient(this.#face as unknown as Socket, unit, NEVER_MS)
    // what is written before is sent then
    this.#face.emit('connect')
    stream.on('data', (chunk: Buffer) => this.#heard(chunk))
    stream.on('error', (error) => this.#ended(reasonOf(error)))
    stream.on('close', () => this.#ended('it closed the connection'))
    stream.on('end', () => stream.destroy())
  }

  get isOpen(): boolean {
    return this.#fault === null
  }

  /** Bytes of the registers of a block, or one byte for each bit. Rejects with a fault or refusal. */
  async read({ area, end, start }: Block): Promise<Buffer> {
    const [client, count] = [this.#client, end - start]
    switch (area) {
      case 'holding':
        return (await this.#ask(() => client.readHoldingRegisters(start, count))).response.body.valuesAsBuffer
      case 'input':
        return (await this.#ask(() => client.readInputRegisters(start, count))).response.body.valuesAsBuffer
      case 'coil':
        return bitsOf((await this.#ask(() => client.readCoils(start, count))).response.body.valuesAsBuffer, count)
      case 'discrete':
        return bitsOf(
          (await this.#ask(() => client.readDiscreteInputs(start, count))).response.body.valuesAsBuffer,
          count,
        )
    }
  }

  /** Writes what {@link UnitConnection.read} would give. A single coil or register has functions of its own. */
  async write({ area, end, start }: Block, bytes: Buffer): Promise<void> {
    const [client, isSingle] = [this.#client, end - start === 1]
    if (area === 'coil') {
      const bits = [...bytes].map((bit) => bit !== 0)
      await this.#ask<unknown>(() =>
        isSingle ? client.writeSingleCoil(start, bits[0] === true) : client.writeMultipleCoils(start, bits),
      )
    } else {
      await this.#ask<unknown>(() =>
        isSingle
          ? client.writeSingleRegister(start, bytes.readUInt16BE())
          : client.writeMultipleRegisters(start, bytes),
      )
    }
  }

  /** Ends it; the request that goes on rejects with the fault, and later ones as well. */
  end(fault: ConnectionFault): void {
    if (this.#fault !== null) return
    this.#fault = fault
    this.#fail?.(fault)
    this.#face.emit('close')
    this.#stream.destroy()
  }

  async #ask<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#fault !== null) throw this.#fault
    const { promise: failed, reject } = Promise.withResolvers<never>()
    this.#fail = reject
    this.#refusal = null
    try {
      return await Promise.race([failed, begin()])
    } catch (error) {
      throw this.#refusal ?? error
    } finally {
      this.#fail = null
      this.#sent = null
    }
  }

  #send(bytes: Buffer): void {
    this.#sent = bytes
    this.#stream.write(bytes)
  }

  #heard(chunk: Buffer): void {
    if (this.#fault !== null) return
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    const size = frameSize(this.#bytes)
    const sent = this.#sent
    if (sent === null) return this.#refuse('it sent something that nobody asked for')
    if (size === 'none') return this.#refuse('it speaks no Modbus TCP')
    if (size === null || this.#bytes.length < size) return
    if (this.#bytes.length > size) return this.#refuse('it sent more than one answer')
    const frame = this.#bytes
    const fault = answerFault(sent, frame)
    if (fault !== null) return this.#refuse(fault)
    this.#bytes = Buffer.alloc(0)
    this.#sent = null
    const code = refusalIn(frame)
    if (code !== null) {
      this.#refusal = new UnitRefusal(code)
      // the library throws into the stream for a code that it does not know
      frame.writeUInt8(ILLEGAL_FUNCTION, frame.length - 1)
    }
    this.#face.emit('data', frame)
  }

  #ended(reason: string): void {
    this.end(new ConnectionFault(reason, { isQuiet: this.#bytes.length === 0 }))
  }

  #refuse(fault: string): void {
    this.end(new ConnectionFault(fault))
  }
}

const bitsOf = (packed: Buffer, count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, at) => ((packed[at >> 3] ?? 0) >> (at & 7)) & 1))
