/**
 * Requests for several registers: neighbours of a table are read and written in one request, within its bounds (Modbus
 * Application Protocol V1.1b3, section 6). What lies between registers is never asked for, as a unit may not have it.
 * @module
 */
import { type Area, isBitArea, placeOf, type Register } from './register.ts'

const MOST_READ_WORDS = 125
const MOST_READ_BITS = 2000
const MOST_WRITTEN_WORDS = 123
const MOST_WRITTEN_BITS = 1968

/** Registers of one table from `start` up to `end`, which is behind them. */
export interface Block {
  readonly area: Area
  readonly start: number
  readonly end: number
  /** In the order of their addresses; they may share some. */
  readonly registers: readonly Register[]
}

/** A register and the bytes that it gets. */
export interface Written {
  readonly register: Register
  readonly bytes: Buffer
}

/** How texts call a block: its addresses, and the ports that they stand for. */
export const titleOf = ({ area, start, end, registers }: Block): string =>
  `${placeOf(area, start, end)} (${registers.map(({ name }) => `"${name}"`).join(', ')})`

/** A block of its own for a register. */
export const alone = (register: Register): Block => ({
  area: register.area,
  start: register.address,
  end: register.end,
  registers: [register],
})

/** Requests that read registers. */
export const readBlocks = (registers: Iterable<Register>): Block[] =>
  blocksOf([...registers], (block, { address, end }) => {
    const most = isBitArea(block.area) ? MOST_READ_BITS : MOST_READ_WORDS
    return address <= block.end && Math.max(end, block.end) - block.start <= most
  })

/** Requests that write registers, each with its bytes from the first to the last address. */
export function writeBlocks(written: readonly Written[]): { readonly block: Block; readonly bytes: Buffer }[] {
  const bytesOf = new Map(written.map(({ register, bytes }) => [register, bytes]))
  const blocks = blocksOf([...bytesOf.keys()], (block, { address, end }) => {
    const most = isBitArea(block.area) ? MOST_WRITTEN_BITS : MOST_WRITTEN_WORDS
    // two values for one address are two requests
    return address === block.end && end - block.start <= most
  })
  return blocks.map((block) => ({
    block,
    bytes: Buffer.concat(block.registers.flatMap((register) => bytesOf.get(register) ?? [])),
  }))
}

/** Registers by table and address, each in the last block that it may join, or in one of its own. */
function blocksOf(registers: readonly Register[], joins: (block: Block, register: Register) => boolean): Block[] {
  const blocks: Block[] = []
  const sorted = registers.toSorted((a, b) => a.area.localeCompare(b.area) || a.address - b.address || a.end - b.end)
  for (const register of sorted) {
    const last = blocks.at(-1)
    if (last?.area !== register.area || !joins(last, register)) blocks.push(alone(register))
    else blocks[blocks.length - 1] = extended(last, register)
  }
  return blocks
}

const extended = (block: Block, register: Register): Block => ({
  ...block,
  end: Math.max(block.end, register.end),
  registers: [...block.registers, register],
})
