/**
 * The node type `modbus`: registers of a unit that speaks Modbus TCP (https://modbus.org/specs.php), read again and again, and
 * written when values arrive.
 * @module
 */
import {
  Connector,
  type ConnectorContext,
  type NodeFinding,
  type NodeShape,
  reasonOf,
  type Values,
} from '@flow-service/connector-sdk'

import { alone, type Block, readBlocks, titleOf, writeBlocks } from './blocks.ts'
import { findingsOf } from './findings.ts'
import { Line } from './line.ts'
import { isBitArea, type Register, registersOf } from './register.ts'
import { type ModbusSettings, modbusSettings } from './settings.ts'
import { UnitRefusal } from './unit-connection.ts'

const ILLEGAL_DATA_ADDRESS = 2

/** Outputs carry what their registers hold; inputs write it. */
export class Modbus extends Connector<typeof Modbus.Params> {
  static readonly contract = 1
  static override readonly title = 'Modbus TCP'
  static override readonly description = 'Reads and writes registers and coils of a device by Modbus TCP.'
  static override readonly Params = modbusSettings

  static override check(shape: NodeShape<ModbusSettings>): NodeFinding[] {
    return findingsOf(shape)
  }

  readonly #registers: ReadonlyMap<string, Register>
  readonly #line: Line
  /** What a reading asks for; a block that a unit refuses for an address falls apart for good. */
  #blocks: readonly Block[]
  #hasFailed = false

  constructor(context: ConnectorContext) {
    super(context)
    this.#registers = registersOf(this.config)
    this.#line = new Line(context, this.config)
    this.#blocks = readBlocks(this.outputs.map(({ port }) => this.#register(port)))
  }

  /** A node that only writes asks for nothing. */
  protected override get pollInterval(): number {
    return this.outputs.length > 0 ? super.pollInterval : 0
  }

  override async poll() {
    const values: Values = {}
    const refusals: string[] = []
    for (const block of this.#blocks) {
      // oxlint-disable-next-line no-await-in-loop -- a unit gets one request at a time
      for (const part of await this.#readable(block)) {
        if (typeof part === 'string') refusals.push(part)
        else Object.assign(values, part)
      }
    }
    if (refusals.length > 0) {
      const message = refusals.join('; ')
      if (Object.keys(values).length === 0) throw new Error(message)
      this.reportHealth('degraded', message)
    }
    return values
  }

  override async write(inputs: Values): Promise<void> {
    // all of them are checked before the first is sent
    const written = Object.entries(inputs).map(([port, value]) => {
      const register = this.#register(port)
      return { register, bytes: register.encode(value) }
    })
    try {
      for (const { block, bytes } of writeBlocks(written)) {
        // oxlint-disable-next-line no-await-in-loop -- a unit gets one request at a time
        await this.#line
          .ask((connection) => connection.write(block, bytes))
          .catch((error: unknown) => {
            throw error instanceof UnitRefusal ? new Error(this.#refusal(block, error)) : error
          })
      }
    } catch (error) {
      this.#hasFailed = true
      this.reportHealth('degraded', reasonOf(error))
      throw error
    }
    if (this.#hasFailed) this.reportHealth('ok')
    this.#hasFailed = false
  }

  override async stop(): Promise<void> {
    await super.stop()
    this.#line.close()
  }

  /** Values of a block, and what is refused of it in words. */
  async #readable(block: Block): Promise<(Values | string)[]> {
    try {
      return [await this.#read(block)]
    } catch (error) {
      if (!(error instanceof UnitRefusal)) throw error
      if (error.code !== ILLEGAL_DATA_ADDRESS || block.registers.length === 1) return [this.#refusal(block, error)]
    }
    const parts = block.registers.map(alone)
    this.#blocks = this.#blocks.flatMap((each) => (each === block ? parts : [each]))
    const read: (Values | string)[] = []
    // oxlint-disable-next-line no-await-in-loop -- a unit gets one request at a time
    for (const part of parts) read.push(...(await this.#readable(part)))
    return read
  }

  async #read(block: Block): Promise<Values> {
    const bytes = await this.#line.ask((connection) => connection.read(block))
    const width = isBitArea(block.area) ? 1 : 2
    return Object.fromEntries(
      block.registers.map((register) => {
        const [from, to] = [(register.address - block.start) * width, (register.end - block.start) * width]
        return [register.name, register.decode(bytes.subarray(from, to))]
      }),
    )
  }

  #refusal(block: Block, { code, message }: UnitRefusal): string {
    const advice = code === ILLEGAL_DATA_ADDRESS ? '; check "address", "area" and "type" of the register' : ''
    return `${this.#line.title} refuses ${titleOf(block)}: ${message}${advice}`
  }

  #register(port: string): Register {
    const register = this.#registers.get(port)
    // a flow is checked before it starts
    if (register === undefined) throw new Error(`there is no register "${port}" in the settings`)
    return register
  }
}
