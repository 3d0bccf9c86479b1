/**
 * Calls of the API that need a running flow, answered by the engine that runs it: the caller is signed in and the request
 * checked where it came in, and the other engine calls the handler alone.
 *
 * - endpoint-relay.E1 an endpoint says by `place` which of its parameters names the flow, or a message of one.
 * - endpoint-relay.E2 a reading that the other engine does not answer is answered here, from what the database says.
 * @module
 */
import type { Links } from '../engines/links/links.ts'
import type { FlowHomes } from '../flows/flow-homes.ts'
import type { Endpoint, RequestFacts } from '../http/endpoint.ts'
import { ProblemError } from '../http/errors.ts'
import type { Binding, Elsewhere, RelayedCall } from '../http/mount.ts'
import type { Principal } from '../http/principal.ts'
import type { AnyReply } from '../http/send.ts'

const SUBJECT = 'endpoint'
/** Starting a flow may take 10 s for each of its nodes. */
const WITHIN_MS = 300_000
/** A reading is worth less than its wait. */
const READ_WITHIN_MS = 2_000

/** A call as it travels. */
interface Travelling {
  readonly id: string
  readonly flow: string
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly principal: unknown
  readonly request: RequestFacts
}

/** What the relay is made of. */
export interface EndpointRelayDeps {
  readonly homes: FlowHomes
  readonly links: Pick<Links, 'answer' | 'ask'>
  /** The flow of a message by its qualified or bare name; null where none, or several, declare it. */
  readonly flowOf: (message: string) => string | null
  /** The flow of a dead letter by its id; null where there is none. */
  readonly flowOfLetter: (id: string) => Promise<string | null>
}

/** A call, and how it is answered here. */
interface Asked {
  readonly endpoint: Endpoint
  readonly call: RelayedCall
  readonly here: Parameters<Elsewhere>[2]
}

/** Hands calls over, and answers those of others. */
export class EndpointRelay {
  readonly #deps: EndpointRelayDeps

  constructor(deps: EndpointRelayDeps) {
    this.#deps = deps
  }

  /** The answer of the engine that runs the flow of a call, which is this one where that has no flow, or a flow that nobody runs. */
  readonly handle: Elsewhere = (endpoint, call, here) => {
    const { place } = endpoint
    if (!place) return here()
    const named = String((call.params as Readonly<Record<string, unknown>>)[place.param])
    if (place.names === 'letter') return this.#handleLetter(named, { endpoint, call, here })
    const flow = place.names === 'flow' ? named : this.#deps.flowOf(named)
    return flow === null ? here() : this.#handle(flow, { endpoint, call, here })
  }

  /** Answers the calls that other engines hand over to these handlers. */
  answer(bindings: readonly Binding[]): void {
    const placed = new Map(
      bindings.flatMap((each) => (each.endpoint.place ? [[each.endpoint.id as string, each]] : [])),
    )
    this.#deps.links.answer(SUBJECT, async (payload, { signal }) => {
      const { id, flow, principal, ...call } = JSON.parse(payload.toString()) as Travelling
      const binding = placed.get(id)
      if (!binding) throw new ProblemError('unavailable', `the engine that runs flow "${flow}" has no endpoint ${id}`)
      this.#deps.homes.assertHere(flow)
      const reply = await this.#answer(flow, () => binding.handle({ ...call, principal: arrived(principal), signal }))
      return Buffer.from(JSON.stringify({ status: reply.status, value: reply.value, headers: reply.headers }))
    })
  }

  /** What is asked by another engine is done here, or by whoever has the flow by then. */
  async #answer(flow: string, handle: () => Promise<AnyReply> | AnyReply): Promise<AnyReply> {
    try {
      return await handle()
    } catch (error) {
      if (isOfAbsence(error)) this.#deps.homes.assertHere(flow)
      throw error
    }
  }

  async #handleLetter(id: string, asked: Asked): Promise<AnyReply> {
    const flow = await this.#deps.flowOfLetter(id)
    return flow === null ? asked.here() : this.#handle(flow, asked)
  }

  async #handle(flow: string, { endpoint, call, here }: Asked): Promise<AnyReply> {
    const { homes } = this.#deps
    const there = homes.isAway(flow) ? await this.#hand(endpoint, flow, call) : null
    if (there !== null) return there
    try {
      return await here()
    } catch (error) {
      // nothing was done, and the flow may have left while the call waited for its turn
      if (!isOfAbsence(error) || !homes.isAway(flow)) throw error
      const moved = await this.#hand(endpoint, flow, call)
      // it was being made anew, or nobody runs it
      return moved ?? (await here())
    }
  }

  async #hand(endpoint: Endpoint, flow: string, call: RelayedCall): Promise<AnyReply | null> {
    const { homes, links } = this.#deps
    const isRead = endpoint.method === 'get'
    const { params, query, body, principal, request, signal } = call
    const travelling: Travelling = {
      id: endpoint.id,
      flow,
      params,
      query,
      body,
      principal: departing(principal),
      request: { ...request, headers: {} },
    }
    const payload = Buffer.from(JSON.stringify(travelling))
    const timeoutMs = isRead ? READ_WITHIN_MS : WITHIN_MS
    try {
      const answer = await homes.ask(flow, (engine) => links.ask(engine, SUBJECT, payload, { signal, timeoutMs }))
      return answer === null ? null : (JSON.parse(answer.toString()) as AnyReply)
    } catch (error) {
      const isSilent = error instanceof ProblemError && error.code === 'unavailable'
      if (isRead && isSilent) return null
      throw error
    }
  }
}

/** Refusals of what only a running flow can do: nothing was done. */
const isOfAbsence = (error: unknown): boolean =>
  error instanceof ProblemError && ['in_use', 'not_active', 'not_paused'].includes(error.code)

/** A principal as JSON: the scopes of a grant are a set. */
function departing(principal: Principal | undefined): unknown {
  if (principal?.kind !== 'user') return principal
  const { grant } = principal
  return { ...principal, grant: { ...grant, scopes: grant.scopes === null ? null : [...grant.scopes] } }
}

/** The same again; the other engine has checked who it is. */
function arrived(principal: unknown): unknown {
  const known = principal as { kind: string; grant: { scopes: readonly string[] | null } } | undefined
  if (known?.kind !== 'user') return principal
  const { scopes } = known.grant
  return { ...known, grant: { ...known.grant, scopes: scopes === null ? null : new Set(scopes) } }
}
