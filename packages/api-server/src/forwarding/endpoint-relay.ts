/**
 * Calls of the API that need a running flow, answered by the engine that runs it: the caller is signed in and the request
 * checked where it came in, and the other engine calls the handler alone.
 *
 * - endpoint-relay.E1 an endpoint says by `place` which of its parameters names the flow, or a message of one.
 * - endpoint-relay.E2 a reading that the other engine does not answer is answered here, from what the database says.
 * @module
 */
import { type Links, Unanswered } from '../engines/links/links.ts'
import type { Endpoint, RequestFacts } from '../http/endpoint.ts'
import { ProblemError } from '../http/errors.ts'
import type { Binding, RelayedCall } from '../http/mount.ts'
import type { Principal } from '../http/principal.ts'
import type { AnyReply } from '../http/send.ts'
import type { FlowHomes } from './flow-homes.ts'

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
}

/** Hands calls over, and answers those of others. */
export class EndpointRelay {
  readonly #deps: EndpointRelayDeps

  constructor(deps: EndpointRelayDeps) {
    this.#deps = deps
  }

  /** The answer of the engine that runs the flow of a call; null when the call is to be answered here. */
  handle(endpoint: Endpoint, call: RelayedCall): Promise<AnyReply | null> | null {
    const flow = this.#flowOf(endpoint, call.params)
    if (flow === null || !this.#deps.homes.isAway(flow)) return null
    return this.#hand(endpoint, flow, call)
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
      const reply = await binding.handle({ ...call, principal: arrived(principal), signal })
      return Buffer.from(JSON.stringify({ status: reply.status, value: reply.value, headers: reply.headers }))
    })
  }

  #flowOf({ place }: Endpoint, params: unknown): string | null {
    if (!place) return null
    const named = String((params as Readonly<Record<string, unknown>>)[place.param])
    return place.names === 'flow' ? named : this.#deps.flowOf(named)
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
      if (error instanceof Unanswered) throw mayBeDone(flow)
      throw error
    }
  }
}

const mayBeDone = (flow: string): ProblemError =>
  new ProblemError(
    'unavailable',
    `the engine that runs flow "${flow}" was asked and has not answered: it may have done it; look before you try again`,
    { retry_after_s: 1 },
  )

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
