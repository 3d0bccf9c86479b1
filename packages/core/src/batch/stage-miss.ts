/**
 * Why a stage executes, in words: what has changed since the most similar one that is known.
 * @module
 */
import type { StageEnvironment, StageParts, StageValue } from './stage-key.ts'

/** Reasons that need no comparison. */
export const missReasons = {
  first: 'first run',
  noCache: 'no_cache',
  cacheFalse: 'cache: false',
  secret: 'outputs with the value of a secret are not kept',
  tooLarge: 'outputs over 256 KiB are not kept',
  volatile: 'outputs with volatile bytes are not kept',
  expired: 'expired',
  artifactGone: 'an artifact of it is gone',
  keyFormat: 'the format of keys changed',
  noAnswer: 'the stage cache did not answer',
} as const

/** What differs from that one of `known`, newest first, from which the fewest things do; `first run` without any. */
export function whyMissed(parts: StageParts, known: readonly StageParts[]): string[] {
  const [first, ...rest] = known.map((before) => differences(before, parts))
  if (first === undefined) return [missReasons.first]
  const fewest = rest.reduce((best, next) => (next.length < best.length ? next : best), first)
  // the key has one more ingredient than its parts: whether the code is a source or a bundle
  return fewest.length > 0 ? fewest : ['node type changed']
}

/** In which versions an environment differs from the one that a result was made in; null when in none. */
export function environmentDifference(before: StageEnvironment, now: StageEnvironment): string | null {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted()
  const changed = names.filter((name) => own(before, name) !== own(now, name))
  if (changed.length === 0) return null
  return `environment: ${changed.map((name) => `${name} ${own(before, name) ?? 'none'} -> ${own(now, name) ?? 'none'}`).join(', ')}`
}

const differences = (before: StageParts, now: StageParts): string[] => [
  ...codeDifference(before, now),
  ...(before.ports === now.ports ? [] : ['ports changed']),
  ...valueDifferences('setting', before.settings, now.settings).map(({ text }) => text),
  ...valueDifferences('input', before.inputs, now.inputs).map(({ name, text }) =>
    blamed(text, own(now.from ?? {}, name)),
  ),
]

/** An input that differs is not the node's own doing. */
const blamed = (difference: string, node: string | undefined): string =>
  node === undefined ? difference : `${difference} (${node} returned another value)`

function codeDifference(before: StageParts, now: StageParts): string[] {
  if (before.code === now.code) return []
  const paths = new Set([...Object.keys(before.modules), ...Object.keys(now.modules)])
  const changed = [...paths].filter((path) => own(before.modules, path) !== own(now.modules, path)).toSorted()
  if (changed.length > 0) return [`source changed: ${changed.join(', ')}`]
  // equal modules, another digest: the packages that the bundle holds
  return [paths.size > 0 ? 'source changed: packages' : 'source changed']
}

type StageValues = Readonly<Record<string, StageValue>>

function valueDifferences(what: string, before: StageValues, now: StageValues): { name: string; text: string }[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...names].flatMap((name) => {
    const text = valueDifference(own(before, name), own(now, name))
    return text === null ? [] : [{ name, text: `${what} ${name}${text}` }]
  })
}

/** In words that follow the name; null when there is none. */
function valueDifference(old: StageValue | undefined, next: StageValue | undefined): string | null {
  if (old === undefined || next === undefined) return old === undefined ? ' is new' : ' is gone'
  if ('text' in old && 'text' in next) return old.text === next.text ? null : `: ${old.text} -> ${next.text}`
  return 'digest' in old && 'digest' in next && old.digest === next.digest ? null : ' changed'
}

const own = <T>(values: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined
