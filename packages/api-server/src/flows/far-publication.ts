/**
 * Passes a value on that has come in by the API or from a device, to the engine that runs its flow, which publishes it;
 * `messages.ts` asks for it before it publishes one itself.
 * @module
 */
import { flowPart, type PublishedMessage } from '@flow-service/protocol'

import type { Links } from '../engines/links/links.ts'
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
    const answer = await homes.ask(flow, (engine) => links.ask(engine, SUBJECT, payload))
    return answer && (JSON.parse(answer.toString()) as PublishedMessage)
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
