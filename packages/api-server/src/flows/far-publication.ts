/**
 * Values from outside for messages of flows that other engines run: published there, whichever way they came in here (by the
 * API, or from a device).
 * @module
 */
import { flowPart, type PublishedMessage } from '@flow-service/protocol'

import { type Links, Unanswered } from '../engines/links/links.ts'
import { ProblemError } from '../http/errors.ts'
import type { FarPublication, Messages, MessagesDeps } from '../messages/messages.ts'
import type { FlowHomes } from './flow-homes.ts'

const SUBJECT = 'publish'

/** Passes values on to the engine that runs their flow; undefined where there is one engine alone. */
export function publishElsewhere(homes: FlowHomes | null, links: Pick<Links, 'ask'> | null): MessagesDeps['elsewhere'] {
  if (homes === null || links === null) return undefined
  return async (publication) => {
    const flow = flowPart(publication.message)
    if (!homes.isAway(flow)) return null
    const payload = Buffer.from(JSON.stringify(publication))
    try {
      const answer = await homes.ask(flow, (engine) => links.ask(engine, SUBJECT, payload))
      return answer && (JSON.parse(answer.toString()) as PublishedMessage)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      const detail = `the engine that runs flow "${flow}" was given the value and has not answered: it may be published`
      throw new ProblemError('unavailable', detail, { retry_after_s: 1 })
    }
  }
}

/** Publishes what other engines pass on. */
export function answerPublications(
  messages: Pick<Messages, 'publish'>,
  homes: FlowHomes | null,
  links: Pick<Links, 'answer'> | null,
): void {
  links?.answer(SUBJECT, async (payload) => {
    const { message, value, place } = JSON.parse(payload.toString()) as FarPublication
    homes?.assertHere(flowPart(message))
    return Buffer.from(JSON.stringify(await messages.publish(message, value, place)))
  })
}
