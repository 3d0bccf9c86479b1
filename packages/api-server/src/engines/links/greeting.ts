/**
 * How a link begins: each side says who it is in a `hello`, the side that has dialled first. That of the other side says
 * that the link is taken.
 * @module
 */
import * as z from 'zod'

import { kinds } from './frames.ts'
import { closeCodes, LinkFault, malformed } from './link-fault.ts'
import type { Receiver, Wire, WireEnd } from './wire.ts'

/** The number of what frames mean: engines of another one do not understand each other. */
export const LINK_PROTOCOL = 1

const helloSchema = z.object({
  version: z.string().max(100),
  id: z.string().min(1).max(100),
  turn: z.int().nonnegative(),
})

/** What an engine says of itself. */
export type Hello = z.infer<typeof helloSchema> & {
  /** {@link LINK_PROTOCOL} of the engine. */
  readonly protocol: number
}

/** Says who this engine is. */
export function sayHello(wire: Wire, hello: Hello): void {
  wire.write(kinds.hello, 0, Buffer.from(JSON.stringify(hello)))
}

/** What is expected of the other side. */
export interface GreetingDeps {
  readonly protocol: number
  /** Which engine it has to be. */
  readonly engine: string
  /** Gives the wire to another receiver. Throws a {@link LinkFault} where it is not wanted. */
  readonly onHello: (hello: Hello) => void
  /** It has ended before. */
  readonly onEnd: (end: WireEnd) => void
}

/** Waits for the hello of the other side. */
export class Greeting implements Receiver {
  readonly #deps: GreetingDeps

  constructor(deps: GreetingDeps) {
    this.#deps = deps
  }

  frame(kind: number, _id: number, payload: Buffer): void {
    const { engine, protocol, onHello } = this.#deps
    if (kind !== kinds.hello) throw malformed('say hello first')
    const hello = readHello(payload, protocol)
    if (hello.id !== engine) throw new LinkFault(closeCodes.policy, `engine ${hello.id} is here in place of ${engine}`)
    onHello(hello)
  }

  ended(end: WireEnd): void {
    this.#deps.onEnd(end)
  }
}

/** Of another protocol nothing is read but its number, which stays where it is. */
function readHello(payload: Buffer, protocol: number): Hello {
  const said = jsonIn(payload)
  const other = z.object({ protocol: z.int() }).safeParse(said)
  if (!other.success) throw malformed('a hello names no protocol')
  if (other.data.protocol !== protocol) {
    throw new LinkFault(
      closeCodes.otherProtocol,
      `one engine speaks link protocol ${protocol}, the other one ${other.data.protocol}: update the older one`,
    )
  }
  const hello = helloSchema.safeParse(said)
  if (!hello.success) throw malformed('a hello lacks what has to be in it')
  return { ...hello.data, protocol }
}

function jsonIn(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString())
  } catch {
    throw malformed('a hello is no JSON')
  }
}
