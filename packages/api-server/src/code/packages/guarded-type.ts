/**
 * A node type of a package as the engine may ask it: what it answers about its nodes is asked for in the midst of other work,
 * such as a save or a list of all types, which a fault of the package must not fail.
 * @module
 */
import type { AnyNodeDefinition, NodeInstance, NodeShape } from '@flow-service/connector-sdk'

/** The definition, whose answers are those of a type that gives none where it throws or answers something else. */
export const guarded = (type: AnyNodeDefinition): AnyNodeDefinition => ({
  ...type,
  ...(type.passive && { passive: (settings) => asked(() => type.passive?.(settings), isList, []) }),
  ...(type.missing && { missing: () => asked(() => type.missing?.(), isText, null) }),
  ...(type.holds && { holds: (key, data) => asked(() => type.holds?.(key, data), isHeld, null) }),
  ...(typeof type.idempotent === 'function' && { idempotent: mayBeRepeated(type.idempotent) }),
  async start(ctx) {
    const instance: unknown = await type.start(ctx)
    if (typeof instance === 'object' && instance !== null) return instance as NodeInstance
    throw new TypeError('its start gave no node; return an object with its handlers')
  },
})

/** What may be repeated has to say so. */
const mayBeRepeated =
  (isIdempotent: (shape: NodeShape) => boolean) =>
  (shape: NodeShape): boolean =>
    asked(() => isIdempotent(shape), isFlag, false)

function asked<T>(ask: () => T | undefined, isAnswer: (answer: unknown) => boolean, otherwise: T): T {
  try {
    const answer = ask()
    return isAnswer(answer) ? (answer as T) : otherwise
  } catch {
    return otherwise
  }
}

const isList = (answer: unknown): boolean => Array.isArray(answer)
const isText = (answer: unknown): boolean => typeof answer === 'string'
const isFlag = (answer: unknown): boolean => typeof answer === 'boolean'
const isHeld = (answer: unknown): boolean => Array.isArray(answer) && typeof answer[0] === 'string'
