/**
 * Requests to webhooks of flows that another engine runs: read and bounded where they came in, taken by the handler there.
 * @module
 */
import type { Links } from '../engines/links/links.ts'
import type { FlowHomes } from '../flows/flow-homes.ts'
import { type AnyHookRequest, type HooksElsewhere, isUntaken } from '../hooks/hooks.ts'
import { requestSegments } from '../hooks/route-table.ts'

const SUBJECT = 'hook'
const NOTHING = Buffer.alloc(0)

/** What the relay is made of. */
export interface HookRelayDeps {
  readonly homes: FlowHomes
  readonly links: Pick<Links, 'answer' | 'ask'>
}

/** Hands requests over, and has those of others taken. */
export class HookRelay implements HooksElsewhere {
  readonly #deps: HookRelayDeps

  constructor(deps: HookRelayDeps) {
    this.#deps = deps
  }

  isAway(path: string): boolean {
    const flow = flowIn(path)
    return flow !== null && this.#deps.homes.isAway(flow)
  }

  async deliver({ body, ...request }: AnyHookRequest): Promise<boolean> {
    const { homes, links } = this.#deps
    const flow = flowIn(request.path) ?? ''
    const head = Buffer.from(JSON.stringify(request))
    const size = Buffer.allocUnsafe(4)
    size.writeUInt32BE(head.length)
    const payload = Buffer.concat([size, head, body])
    return (await homes.ask(flow, (engine) => links.ask(engine, SUBJECT, payload))) !== null
  }

  /** Has requests taken that other engines hand over. */
  answer(take: (request: AnyHookRequest) => Promise<void>): void {
    this.#deps.links.answer(SUBJECT, async (payload) => {
      const end = 4 + payload.readUInt32BE(0)
      const request = JSON.parse(payload.toString('utf8', 4, end)) as Omit<AnyHookRequest, 'body'>
      const flow = flowIn(request.path) ?? ''
      this.#deps.homes.assertHere(flow)
      try {
        await take({ ...request, body: payload.subarray(end) })
      } catch (error) {
        // it may have left in between: what nobody has taken is for whoever has it now
        if (isUntaken(error)) this.#deps.homes.assertHere(flow)
        throw error
      }
      return NOTHING
    })
  }
}

/** The flow that a raw path below `/hooks` begins with; null for one that names none. */
const flowIn = (path: string): string | null => requestSegments(path)?.[0] ?? null
