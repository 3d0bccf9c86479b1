/**
 * Tracebacks of node code in TypeScript: the frames of its files and of the packages that it calls, without those of this
 * package, of the SDK and of Node. Loaded by each process of node code.
 * @module
 */
import { pathToFileURL } from 'node:url'

const MAX_STACK_CHARS = 65_536

const own = new URL('..', import.meta.url)
/** Frames that are nobody's mistake. */
const hidden = [own.href, own.pathname, '(node:', ' node:', '/node_modules/@flow-service/', '../packages/flow-sdk/src/']

/** The error with the frames of its author's code, named as in the author's project; null when there is none. */
export function userStack(error: Error, home: string): string | null {
  const stack = String(error.stack)
  const [head, lines] = parts(stack, String(error.message))
  const kept: string[] = []
  let isKept = false
  for (const line of lines.toReversed()) {
    // what has no file is a part of the language, and belongs to whoever calls it
    if (/:\d+:\d+\)?$/.test(line)) isKept = !hidden.some((place) => line.includes(place))
    if (isKept) kept.unshift(inProject(line, home))
  }
  if (kept.length > 0) return shortened([head, ...kept].join('\n'))
  // of code that cannot be read the text says where
  return /^file:.*:\d+$/m.test(head) ? shortened(inProject(head, home)) : null
}

/** What a stack says of its error, and its frames: lines of the message may look like some. */
function parts(stack: string, message: string): [head: string, lines: string[]] {
  const at = stack.indexOf(message)
  const from = at < 0 ? stack.search(/\n\s+at /) : at + message.length
  if (from < 0) return [stack, []]
  const [rest = '', ...lines] = stack.slice(from).split('\n')
  return [stack.slice(0, from) + rest, lines]
}

function inProject(text: string, home: string): string {
  const named = text.replaceAll(`${pathToFileURL(home).href}/`, '').replaceAll(`${home}/`, '')
  return named.replaceAll(/(?:file:\/\/)?[^\s(]*\/(?=node_modules\/(?!.*\/node_modules\/))/g, '')
}

/** Without its middle where it is too long: the first lines tell the place, the last ones the way to it. */
function shortened(text: string): string {
  if (text.length <= MAX_STACK_CHARS) return text
  const half = MAX_STACK_CHARS / 2
  const head = text.slice(0, text.lastIndexOf('\n', half) + 1 || half)
  return `${head}    …\n${text.slice(text.indexOf('\n', text.length - half) + 1 || text.length - half)}`
}
