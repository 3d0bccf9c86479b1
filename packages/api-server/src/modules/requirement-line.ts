/**
 * One line of the manifest of modules: a Python requirement (PEP 508: name, extras, versions, marker), or `npm:` with the
 * name and the range of a package. Whatever else pip or npm would do at a word of a line (options, files, addresses,
 * variables) is refused, and they get the line as it was understood.
 * @module
 */
import { readMarker } from './environment-marker.ts'

/** A requirement as pip or npm gets it. */
export type Requirement =
  | {
      readonly kind: 'python'
      /** As packages are compared: small letters, and `-` for `_` and `.`. */
      readonly name: string
      readonly text: string
    }
  | { readonly kind: 'npm'; readonly name: string; readonly range: string }

/** A line that is not taken: why, and what to write. */
export interface LineFault {
  readonly kind: 'fault'
  readonly message: string
}

/** Longest line without its comment, in characters. */
const MAX_LINE = 500
const MAX_SHOWN = 80

const name = String.raw`[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?`
const version = String.raw`(?:===|[<>=!~]=|[<>])\s*[A-Za-z0-9][A-Za-z0-9._*+!-]*`
const versions = String.raw`${version}(?:\s*,\s*${version})*`
const pythonLine = new RegExp(
  String.raw`^(${name})\s*(\[\s*(?:${name}(?:\s*,\s*${name})*)?\s*\])?\s*(${versions}|\(\s*${versions}\s*\))?\s*(?:;(.+))?$`,
)

const npmName = /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/
const number = String.raw`(?:[xX*]|0|[1-9]\d{0,15})`
const partial = String.raw`${number}(?:\.${number}){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?`
const comparator = String.raw`(?:[<>]=?|[=~^])? ?${partial}`
const alternative = String.raw`(?:${partial} - ${partial}|${comparator}(?: ${comparator})*)`
const npmRange = new RegExp(String.raw`^${alternative}(?: ?\|\| ?${alternative})*$`)
const MAX_NPM_NAME = 214
/** Names that npm does not take either. */
const reservedNames: ReadonlySet<string> = new Set(['node_modules', 'favicon.ico'])

const forms = 'write a package with versions, as in numpy>=2, or npm:<package>@<range>'

/** What pip takes for a file. */
const archive = /\.(?:whl|zip|tar|tgz|tbz|txz|tlz|gz|bz2|xz|lzma)$/i

const noFiles = 'files are not taken: name a package of the index, with its versions'

/** What other lines are, by what they look like, and what to do instead. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [/^-/, 'options are not taken here: the engine has settings for its package index, and reads no other file'],
  [/\\$/, 'a requirement stands on one line, which "\\" does not continue'],
  [/\$\{?\w/, 'variables are not replaced: write the value'],
  [
    /:\/\/|\s@\s|@\s*file:|^(?:git|hg|svn|bzr)\+/,
    'addresses are not taken: name a package of the index, with its versions',
  ],
  [/^[./~]|[/\\]/, noFiles],
  [archive, noFiles],
]

/** Reads a line; null for one that says nothing. */
export function readRequirement(line: string): Requirement | LineFault | null {
  if (hasControls(line)) return fault(line, 'it has characters that are not text: type the line anew')
  const text = line.replace(/(?:^|\s)#.*$/, '').trim()
  if (text === '') return null
  if (text.length > MAX_LINE) return fault(text, `it has ${text.length} characters: use at most ${MAX_LINE}`)
  return text.startsWith('npm:') ? readNpm(text) : readPython(text)
}

function readPython(text: string): Requirement | LineFault {
  const [, own = '', extras = '', wanted = '', condition] = pythonLine.exec(text) ?? []
  if (own === '' || archive.test(own + wanted))
    return fault(text, refusals.find(([looks]) => looks.test(text))?.[1] ?? forms)
  const marker = condition === undefined ? '' : readMarker(condition)
  if (marker === null) {
    return fault(text, 'what follows ";" is no condition: write one as in python_version < "3.13"')
  }
  const parts = `${own}${extras}${wanted}`.replaceAll(/[\s()]/g, '')
  return { kind: 'python', name: normalName(own), text: marker === '' ? parts : `${parts} ; ${marker}` }
}

function readNpm(text: string): Requirement | LineFault {
  const spec = text.slice('npm:'.length)
  const at = spec.lastIndexOf('@')
  const [own, range] = at > 0 ? [spec.slice(0, at), spec.slice(at + 1).trim()] : [spec, '']
  if (!npmName.test(own) || own.length > MAX_NPM_NAME || reservedNames.has(own)) {
    return fault(text, 'it names no package of the npm registry: write npm:<package>@<range>')
  }
  if (range === '') return fault(text, `it has no range: write npm:${own}@^1.0.0, or npm:${own}@* for the newest`)
  if (npmRange.test(range)) return { kind: 'npm', name: own, range }
  return fault(text, 'after "@" stands no range of versions: write one as in ^1.2.0 or >=1 <3')
}

/** A name of a Python package as they are compared (PEP 503). */
export const normalName = (text: string): string => text.replaceAll(/[-_.]+/g, '-').toLowerCase()

const fault = (text: string, why: string): LineFault => ({ kind: 'fault', message: `${shown(text)}: ${why}` })

/** Somebody may have put a password into an address. */
function shown(text: string): string {
  const safe = text.replaceAll(/\/\/[^/\s]*@/g, '//***@')
  return JSON.stringify(safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN)}…` : safe)
}

const hasControls = (line: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  /[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/.test(line) || !line.isWellFormed()
