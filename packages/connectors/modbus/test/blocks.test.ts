/** Requests for any set of registers: all of them, nothing else, and within the bounds of the protocol. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { readBlocks, writeBlocks } from '../src/blocks.ts'
import { isBitArea, Register } from '../src/register.ts'

const types = ['uint16', 'int32', 'float64'] as const

const registers = fc
  .array(
    fc.record({
      area: fc.constantFrom('holding', 'coil' as const),
      // close together, so that many are neighbours
      address: fc.nat(300),
      type: fc.constantFrom(...types),
    }),
    { maxLength: 300 },
  )
  .map((all) =>
    all.map(({ area, address, type }, at) => {
      const settings = { area, address, scale: 1, offset: 0, writable: true }
      return new Register(`r${at}`, area === 'coil' ? settings : { ...settings, type }, 'big')
    }),
  )

test('readings ask for each register once and whole, for no address between them, and for no more than they may', () => {
  fc.assert(
    fc.property(registers, (given) => {
      const blocks = readBlocks(given)
      expect(blocks.flatMap((block) => block.registers).toSorted(byName)).toEqual(given.toSorted(byName))
      for (const { area, end, registers: read, start } of blocks) {
        expect(end - start).toBeLessThanOrEqual(isBitArea(area) ? 2000 : 125)
        const wanted = new Set(read.flatMap((register) => addressesOf(register)))
        expect(wanted.size).toBe(end - start)
        expect([Math.min(...wanted), read.every((register) => register.area === area)]).toEqual([start, true])
      }
    }),
  )
})

test('writes send the bytes of each register once, at its address, and no more than they may', () => {
  fc.assert(
    fc.property(registers, (given) => {
      const written = given.map((register, at) => {
        const width = isBitArea(register.area) ? 1 : 2
        return { register, bytes: Buffer.alloc((register.end - register.address) * width, at % 251) }
      })
      const sent = writeBlocks(written).flatMap(({ block, bytes }) => {
        const width = isBitArea(block.area) ? 1 : 2
        expect(bytes).toHaveLength((block.end - block.start) * width)
        expect(block.end - block.start).toBeLessThanOrEqual(isBitArea(block.area) ? 1968 : 123)
        return block.registers.map((register) => {
          const from = (register.address - block.start) * width
          return { register, bytes: bytes.subarray(from, from + (register.end - register.address) * width) }
        })
      })
      expect(sent.toSorted((a, b) => byName(a.register, b.register))).toEqual(
        written.toSorted((a, b) => byName(a.register, b.register)),
      )
    }),
  )
})

const byName = (a: Register, b: Register): number => a.name.localeCompare(b.name)
const addressesOf = ({ address, end }: Register): number[] =>
  Array.from({ length: end - address }, (_, at) => address + at)
