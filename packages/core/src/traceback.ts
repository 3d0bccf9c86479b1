/**
 * Tracebacks of errors that the code of others has thrown in this process: node types of packages, closures of flows. They
 * have the lines of that code, and of the packages that it calls; ours and those of Node help nobody to find a mistake.
 * @module
 */

/** A frame of a stack, with the file that it names. */
const frame = /^(\s+at (?:async )?(?:.*? \()?)(?:file:\/\/)?(.+)(:\d+:\d+\)?)$/
/** Longer lines are the text of an error. */
const MAX_FRAME = 1000

/** Where our packages lie side by side: the folder of the repository, or of the scope in `node_modules`. */
const packages = new URL('../../', import.meta.url).pathname
const installed = /\/node_modules\/@flow-service\/([^/]+)\//
const beside = /^([^/]+)\/(?:src|dist)\//
/** Packages of ours that call other packages on their own account. */
const callers = new Set(['node-types', 'api-server'])

/** The error with the frames of its author's code; null when there is none. Files are named without their directories. */
export function tracebackOf({ stack, message }: Error): string | null {
  if (typeof stack !== 'string') return null
  const [head, lines] = parts(stack, String(message))
  /** Frames that have called us, and those that we have called. */
  const [outer, inner]: [string[], string[]] = [[], []]
  let isWithin = false
  /** Who has called the frame that is looked at. */
  let caller: string | null = null
  let isKept = false
  for (const line of lines.toReversed()) {
    const file = fileOf(line)
    const own = file === null ? null : ownPackage(file)
    // what has no file is a part of the language, and belongs to whoever calls it
    if (file?.startsWith('node:')) isKept = false
    else if (file !== null) {
      const isOfCaller = caller !== null && callers.has(caller) && file.includes('/node_modules/')
      isKept = own === null && !isOfCaller
      if (!isOfCaller) caller = own
      if (own !== null) isWithin = true
    }
    if (isKept) (isWithin ? inner : outer).unshift(line.replace(frame, shortFrame))
  }
  // who embeds the engine has not failed, but its code may have called us in a callback of its own
  const kept = inner.length > 0 ? inner : outer
  return kept.length === 0 ? null : [head, ...kept].join('\n')
}

/** What a stack says of its error, and its frames: lines of the message may look like some. */
function parts(stack: string, message: string): [head: string, lines: string[]] {
  const at = stack.indexOf(message)
  const from = at < 0 ? stack.search(/\n\s+at /) : at + message.length
  if (from < 0) return [stack, []]
  const [rest = '', ...lines] = stack.slice(from).split('\n')
  return [stack.slice(0, from) + rest, lines]
}

function fileOf(line: string): string | null {
  const file = line.length > MAX_FRAME ? undefined : frame.exec(line)?.[2]
  return file === undefined ? null : file.replaceAll('\\', '/')
}

/** The name of a package of ours, null for any other file. */
function ownPackage(file: string): string | null {
  const name = installed.exec(file)?.[1]
  if (name !== undefined) return name
  return file.startsWith(packages) ? (beside.exec(file.slice(packages.length))?.[1] ?? null) : null
}

/** A file of a package is named from there, any other one by itself. */
const shortFrame = (_: string, before: string, file: string, after: string): string => {
  const path = file.replaceAll('\\', '/')
  const inPackage = path.lastIndexOf('node_modules')
  return `${before}${path.slice(inPackage < 0 ? path.lastIndexOf('/') + 1 : inPackage)}${after}`
}
