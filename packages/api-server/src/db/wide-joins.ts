/**
 * Makes the compiled PostgreSQL cheap to optimize: `embedded-thread.ts` rewrites it before each start, and a process
 * that leaves that out holds 600 MB more while it starts, and computes a second longer.
 *
 * The parser of SQL is one function with a case for each rule of the grammar, and 2,000 of them leave for the same place.
 * V8's optimizing compiler takes time and memory by the square of the ways into one block (24.21: 597 MB and 1.2 s for
 * that function, of 604 MB in all). Here a `block` that very many branches leave is given others within, one for every
 * few dozen cases: branches leave the nearest of these, and one branch of each leaves for the place itself. What the
 * code does is the same, as is every other byte.
 *
 * In the terms of WebAssembly: cases are nested blocks, the first case innermost. Where a block `case` opens, another
 * block opens within it; before `case` ends stand `br case` (whoever falls through), the end of the inner block, and
 * `br place`.
 * @module
 */

/** As many branches to one block are left as they are. */
const MANY = 1000
/** Blocks from one inserted block to the next. */
const GROUP = 48
/** Bodies of so many bytes may hold that many branches. */
const LONG = 65_536

const CODE_SECTION = 10
const [BLOCK, LOOP, IF, END, BR, BR_IF, BR_TABLE] = [0x02, 0x03, 0x04, 0x0b, 0x0c, 0x0d, 0x0e]
const VOID = 0x40

/** A function that has an instruction this file does not know stays as it is. */
class UnknownInstruction extends Error {}

/** Reads a module, or a part of one. */
class Reader {
  readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes
    this.at = at
  }

  byte(): number {
    return this.bytes[this.at++] ?? 0
  }

  /** An unsigned number (LEB128). */
  number(): number {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = this.byte()
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
    }
  }

  pass(numbers: number): void {
    for (let left = numbers; left > 0; left--) while (this.byte() >= 128);
  }

  /** Passes the operands of an instruction that is no block and no branch. */
  operands(code: number): void {
    if ((code >= 0x20 && code <= 0x26) || code === 0x41 || code === 0x42 || code === 0x10) this.pass(1)
    else if ((code >= 0x28 && code <= 0x3e) || code === 0x11) this.pass(2)
    else if (code === 0x3f || code === 0x40) this.pass(1)
    else if (code === 0x43) this.at += 4
    else if (code === 0x44) this.at += 8
    else if (code === 0xfc) this.#more(this.number())
    else if (!(isBare(code) || (code >= 0x45 && code <= 0xc4))) throw new UnknownInstruction()
  }

  /** Saturating conversions, and instructions on ranges of memory and tables. */
  #more(code: number): void {
    if (code > 17) throw new UnknownInstruction()
    if (code > 7) this.pass(code === 8 || code === 10 || code === 12 || code === 14 ? 2 : 1)
  }
}

/** `unreachable`, `nop`, `else`, `return`, `drop`, `select`. */
const isBare = (code: number): boolean =>
  code <= 0x01 || code === 0x05 || code === 0x0f || code === 0x1a || code === 0x1b

/** What is met in the code of a function, with the place of its first byte; the reader stands behind it. */
interface Visitor {
  /** A block, a loop or an `if` begins. */
  open(at: number, code: number, type: number): void
  /** One of them ends, or the function. */
  close(at: number): void
  /** A branch to the block that many blocks out. */
  branch(at: number, code: number, out: number): void
  table(at: number, outs: readonly number[]): void
}

function visit(body: Reader, end: number, visitor: Visitor): void {
  body.pass(2 * body.number())
  while (body.at < end) {
    const at = body.at
    const code = body.byte()
    if (code === BLOCK || code === LOOP || code === IF) visitor.open(at, code, body.number())
    else if (code === END) visitor.close(at)
    else if (code === BR || code === BR_IF) visitor.branch(at, code, body.number())
    else if (code === BR_TABLE)
      visitor.table(
        at,
        Array.from({ length: body.number() + 1 }, () => body.number()),
      )
    else body.operands(code)
  }
}

/** The place of the block that most branches leave, where those are very many. */
function widestJoin(body: Reader, end: number): number | null {
  const open: { readonly at: number; readonly canJoin: boolean; ways: number }[] = []
  let widest: { at: number; ways: number } | null = null
  visit(body, end, {
    open: (at, code, type) => void open.push({ at, canJoin: code === BLOCK && type === VOID, ways: 0 }),
    close() {
      const block = open.pop()
      if (block?.canJoin && block.ways > (widest?.ways ?? MANY)) widest = block
    },
    branch(_at, _code, out) {
      const block = open.at(-1 - out)
      if (block) block.ways++
    },
    table() {},
  })
  return (widest as { at: number } | null)?.at ?? null
}

/** The function with blocks within the one at `place`. */
function withJoins(bytes: Uint8Array, start: number, end: number, place: number): Uint8Array {
  // a branch may take a byte more; inserted blocks are few
  const out = new Uint8Array(2 * (end - start))
  let length = 0
  let copied = start
  const copyTo = (to: number): void => {
    out.set(bytes.subarray(copied, to), length)
    length += to - copied
    copied = to
  }
  const put = (code: number, ...numbers: number[]): void => {
    out[length++] = code
    for (const number of numbers) {
      let left = number
      for (; left >= 128; left >>>= 7) out[length++] = (left & 127) | 128
      out[length++] = left
    }
  }
  /** Blocks that are open, with the inserted ones; and where in these the given ones stand. */
  const open: ('given' | 'inserted')[] = []
  const given: number[] = []
  const outTo = (index: number): number => open.length - 1 - index
  const indexOf = (out: number): number => given.at(-1 - out) ?? -1
  let wide = Number.POSITIVE_INFINITY
  const body = new Reader(bytes, start)
  visit(body, end, {
    open(at, code, type) {
      given.push(open.push('given') - 1)
      if (at === place) wide = open.length - 1
      else if (open.length - 1 > wide && code === BLOCK && type === VOID && given.length % GROUP === 0) {
        copyTo(body.at)
        put(BLOCK, VOID)
        open.push('inserted')
      }
    },
    close(at) {
      if (open.at(-1) === 'inserted') {
        copyTo(at)
        put(BR, 1)
        put(END)
        open.pop()
        put(BR, outTo(wide))
      }
      open.pop()
      if (given.pop() === wide) wide = Number.POSITIVE_INFINITY
    },
    branch(at, code, out) {
      const index = indexOf(out)
      const nearest = index === wide ? open.lastIndexOf('inserted') : -1
      copyTo(at)
      put(code, outTo(Math.max(index, nearest)))
      copied = body.at
    },
    table(at, outs) {
      copyTo(at)
      put(BR_TABLE, outs.length - 1, ...outs.map((out) => outTo(indexOf(out))))
      copied = body.at
    },
  })
  copyTo(end)
  return out.subarray(0, length)
}

/**
 * The module with no block that very many branches leave; it does the same. It is itself where it has none, and where
 * that function has instructions beyond WebAssembly 2.0 without vectors.
 */
export function withoutWideJoins(module: Uint8Array): Uint8Array {
  const reader = new Reader(module, 8)
  while (reader.at < module.length) {
    const header = reader.at
    const id = reader.byte()
    const end = reader.number() + reader.at
    if (id === CODE_SECTION) {
      const code = codeWithoutWideJoins(module, reader.at, end)
      if (code.length === 1) return module
      const size = code.reduce((length, part) => length + part.length, 0)
      return Buffer.concat([module.subarray(0, header), Uint8Array.of(id, ...leb(size)), ...code, module.subarray(end)])
    }
    reader.at = end
  }
  return module
}

function codeWithoutWideJoins(module: Uint8Array, start: number, end: number): Uint8Array[] {
  const reader = new Reader(module, start)
  const parts: Uint8Array[] = []
  let copied = start
  for (let functions = reader.number(); functions > 0; functions--) {
    const before = reader.at
    const size = reader.number()
    const from = reader.at
    reader.at += size
    const body = size < LONG ? null : bodyWithoutWideJoin(module, from, reader.at)
    if (!body) continue
    parts.push(module.subarray(copied, before), Uint8Array.from(leb(body.length)), body)
    copied = reader.at
  }
  parts.push(module.subarray(copied, end))
  return parts
}

function bodyWithoutWideJoin(module: Uint8Array, from: number, to: number): Uint8Array | null {
  try {
    const place = widestJoin(new Reader(module, from), to)
    return place === null ? null : withJoins(module, from, to, place)
  } catch (error) {
    if (error instanceof UnknownInstruction) return null
    throw error
  }
}

/** An unsigned number (LEB128). */
function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)]
}
