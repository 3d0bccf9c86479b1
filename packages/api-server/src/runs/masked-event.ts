/**
 * What a run may keep and show of itself: nothing with the value of a secret.
 * @module
 */
import type { BatchEvent, CodeCall, Secrets, Stage, StageCache } from '@flow-service/core'
import type { RunInput } from '@flow-service/protocol'

/** An event of a run without the values of secrets. Names of nodes, ports and messages stay. */
export function maskedEvent(event: BatchEvent, { mask }: Pick<Secrets, 'mask'>): BatchEvent {
  switch (event.kind) {
    case 'node': {
      const { error, outputs } = event
      return { ...event, ...(error && { error: mask(error) }), ...(outputs && { outputs: mask(outputs) }) }
    }
    case 'attempt':
      return { ...event, error: mask(event.error) }
    case 'emit': {
      const value = mask(event.value)
      return value === event.value ? event : { ...event, value }
    }
    case 'log':
      return { ...event, text: mask(event.text) }
    case 'artifact':
      return event
  }
}

/** Whether a value of an event is not shown as it is, by its masked form. */
export function hidesSecret(event: BatchEvent, masked: BatchEvent): boolean {
  if (event.kind === 'emit') return masked !== event
  return event.kind === 'node' && masked.kind === 'node' && masked.outputs !== event.outputs
}

/** Whether code is given no value of a secret, and so returns none: what it returns may be stored unseen. */
export const hasNoSecret = ({ node, inputs }: CodeCall, { mask }: Pick<Secrets, 'mask'>): boolean =>
  mask(node.settings) === node.settings && mask(inputs) === inputs

/**
 * Inputs as they are shown; the same list where all may be shown. They are kept as they were given, because executions and
 * retries get them as they are. Names of inputs stay.
 */
export function shownInputs(inputs: RunInput[], { mask }: Pick<Secrets, 'mask'>): RunInput[] {
  let isMasked = false
  const shown = inputs.map((input) => {
    const value = mask(input.value)
    if (value === input.value) return input
    isMasked = true
    return { ...input, value }
  })
  return isMasked ? shown : inputs
}

/** The key stands over everything as it is; what is kept beside it to tell why stages differ may be read. */
const spared = (stage: Stage, mask: Secrets['mask']): Stage => ({ ...stage, parts: () => mask(stage.parts()) })

/** A cache in which no outputs with the value of a secret stay: they execute anew each time. */
export const sparesSecrets = (cache: StageCache, { mask }: Pick<Secrets, 'mask'>): StageCache => ({
  take: (stage, options) => cache.take(spared(stage, mask), options),
  settle: (stage, end) =>
    cache.settle(spared(stage, mask), end.is === 'ok' && mask(end.outputs) !== end.outputs ? { is: 'secret' } : end),
})
