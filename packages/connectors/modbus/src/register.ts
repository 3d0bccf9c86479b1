/**
 * A register of a unit: what it is called in texts, and its value as bytes of the wire. Words are big-endian there; the
 * order of the words of a longer value is up to the device.
 * @module
 */
import type { ModbusSettings, RegisterSettings } from './settings.ts'

/** A table of a unit. */
export type Area = RegisterSettings['area']
type Type = NonNullable<RegisterSettings['type']>

interface Numeric {
  readonly words: number
  /** Bounds of an integer; a float has its own. */
  readonly range: readonly [low: number, high: number] | null
  readonly get: (bytes: Buffer) => number
  readonly set: (bytes: Buffer, value: number) => void
}

const LARGEST_FLOAT = 3.402_823_466_385_288_6e38

const numerics: Readonly<Record<Exclude<Type, 'bool'>, Numeric>> = {
  uint16: {
    words: 1,
    range: [0, 65_535],
    get: (bytes) => bytes.readUInt16BE(),
    set: (bytes, value) => bytes.writeUInt16BE(value),
  },
  int16: {
    words: 1,
    range: [-32_768, 32_767],
    get: (bytes) => bytes.readInt16BE(),
    set: (bytes, value) => bytes.writeInt16BE(value),
  },
  uint32: {
    words: 2,
    range: [0, 4_294_967_295],
    get: (bytes) => bytes.readUInt32BE(),
    set: (bytes, value) => bytes.writeUInt32BE(value),
  },
  int32: {
    words: 2,
    range: [-2_147_483_648, 2_147_483_647],
    get: (bytes) => bytes.readInt32BE(),
    set: (bytes, value) => bytes.writeInt32BE(value),
  },
  float32: {
    words: 2,
    range: null,
    get: (bytes) => bytes.readFloatBE(),
    set: (bytes, value) => bytes.writeFloatBE(value),
  },
  float64: {
    words: 4,
    range: null,
    get: (bytes) => bytes.readDoubleBE(),
    set: (bytes, value) => bytes.writeDoubleBE(value),
  },
}

const singular = { holding: 'holding register', input: 'input register', coil: 'coil', discrete: 'discrete input' }

/** How texts call addresses of a table: `holding registers 3 to 7`. */
export const placeOf = (area: Area, start: number, end: number): string =>
  end - start === 1 ? `${singular[area]} ${start}` : `${singular[area]}s ${start} to ${end - 1}`

/** One register, or several that hold one value. */
export class Register {
  /** Name of the ports that carry it. */
  readonly name: string
  readonly area: Area
  readonly type: Type
  readonly address: number
  /** The address behind it. */
  readonly end: number
  readonly isWritable: boolean
  readonly #settings: RegisterSettings
  readonly #isSwapped: boolean

  constructor(name: string, settings: RegisterSettings, order: ModbusSettings['word_order']) {
    const { address, area, type = isBitArea(area) ? 'bool' : 'uint16', word_order, writable } = settings
    this.name = name
    this.area = area
    this.type = type
    this.address = address
    this.end = address + (type === 'bool' ? 1 : numerics[type].words)
    this.isWritable = writable
    this.#settings = settings
    this.#isSwapped = (word_order ?? order) === 'little'
  }

  /** How texts call it. */
  get place(): string {
    return placeOf(this.area, this.address, this.end)
  }

  /** Whether all that it can hold is whole numbers. */
  get isInteger(): boolean {
    const { offset, scale } = this.#settings
    const isWhole = this.type !== 'bool' && numerics[this.type].range !== null
    return isWhole && Number.isInteger(scale) && Number.isInteger(offset)
  }

  /** The value in its bytes, which are a bit in tables of bits. */
  decode(bytes: Buffer): number | boolean {
    if (this.type === 'bool') return bytes.some((byte) => byte !== 0)
    const raw = numerics[this.type].get(this.#ordered(bytes))
    const { offset, scale } = this.#settings
    // a step of 0.1 is no sum of powers of two: 3 steps are 0.3 and not 0.30000000000000004
    return scale === 1 && offset === 0 ? raw : Number((raw * scale + offset).toPrecision(15))
  }

  /** Bytes that hold a value, rounded to what the register can tell apart. Throws for one that it cannot hold. */
  encode(value: unknown): Buffer {
    if (this.type === 'bool') {
      if (typeof value !== 'boolean') throw this.#refusal(value, 'give true or false')
      return isBitArea(this.area) ? Buffer.from([Number(value)]) : Buffer.from([0, Number(value)])
    }
    const { offset, scale } = this.#settings
    const [low, high] = this.#range()
    if (typeof value !== 'number' || !Number.isFinite(value)) throw this.#refusal(value, 'give a number')
    if (value < low || value > high) throw this.#refusal(value, `give ${low} to ${high}`)
    const { range, set, words } = numerics[this.type]
    const raw = (value - offset) / scale
    const bytes = Buffer.alloc(words * 2)
    set(bytes, range === null ? raw : Math.min(range[1], Math.max(range[0], Math.round(raw))))
    return this.#ordered(bytes)
  }

  /** Values that are written: what the type holds, within the bounds of the settings. */
  #range(): readonly [number, number] {
    const { max = Infinity, min = -Infinity, offset, scale } = this.#settings
    const bound = this.type === 'float32' ? LARGEST_FLOAT : Number.MAX_VALUE
    const range = this.type === 'bool' ? null : numerics[this.type].range
    const ends = (range ?? [-bound, bound]).map((raw) => Number((raw * scale + offset).toPrecision(15)))
    return [Math.max(min, Math.min(...ends)), Math.min(max, Math.max(...ends))]
  }

  #refusal(value: unknown, remedy: string): RangeError {
    const shown = (JSON.stringify(value) ?? typeof value).slice(0, 80)
    return new RangeError(`input "${this.name}" is ${shown}, which ${this.place} (${this.type}) cannot take; ${remedy}`)
  }

  #ordered(bytes: Buffer): Buffer {
    return this.#isSwapped ? Buffer.from(bytes).swap16().reverse() : bytes
  }
}

/** Whether a table holds bits. */
export const isBitArea = (area: Area): boolean => area === 'coil' || area === 'discrete'

/** The registers of a node by name. */
export const registersOf = ({ registers, word_order }: ModbusSettings): ReadonlyMap<string, Register> =>
  new Map(Object.entries(registers).map(([name, settings]) => [name, new Register(name, settings, word_order)]))
