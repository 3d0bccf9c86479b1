/**
 * Words for the places of a command line that no grammar lists: what an engine knows by name, and lists that are closed.
 * Completion asks for them, so that they come soon or not at all: an engine that is absent, slow or refuses is silence. All
 * requests read.
 * @module
 */
import { alertChannels, alertEvents, runStatuses, scopes } from '@flow-service/protocol/words'

import type { Candidate, Place } from './completion.ts'
import { type ClientFlags, findEngine } from './sign-in.ts'
import { oneLine } from './table.ts'

/** How long an engine has to answer, in milliseconds; `SERVICE_COMPLETE_MS` in its place. */
const LIMIT_MS = 700

/** What stands at a place. */
export type PlaceWords = 'files' | 'folders' | readonly Candidate[]

const FILES = new Set(['file', 'json', 'program'])
const FOLDERS = new Set(['dir', 'folder'])

/** The words of a place. */
export async function wordsAt(place: Place): Promise<PlaceWords> {
  const { name, option } = place
  if (FILES.has(name)) return 'files'
  if (FOLDERS.has(name)) return 'folders'
  const closed = closedWords(place)
  if (closed) return closed.map((word) => ({ word }))
  const source = sourceOf(place)
  if (!source) return []
  const asked = await ask(source.path, { url: place.values.get('--url'), token: place.values.get('--token') })
  const given = option === null ? new Set(place.given) : new Set<string>()
  return source.words(asked).filter(({ word }) => !given.has(word))
}

/** Whether a value is a list with commas between. */
export const isList = ({ option }: Place): boolean => option === '--status' || option === '--flow'

function closedWords({ name, option, verbs }: Place): readonly string[] | null {
  const of = (...words: string[]): boolean => verbs.join(' ') === words.join(' ')
  if (option === '--status') return runStatuses
  if (option === '--event') return ['all', ...alertEvents]
  if (option === '--scope' && verbs[0] === 'keys') return scopes
  if (option === '--kind' && of('connectors', 'new')) return ['poll', 'push', 'served']
  if (name === 'channel' && of('alerts', 'test')) return alertChannels
  return null
}

interface Source {
  readonly path: string
  words(answer: unknown): Candidate[]
}

/** Which list of an engine has the words. */
function sourceOf({ name, option, verbs, given, values }: Place): Source | null {
  const [group = '', verb = ''] = verbs
  if (name === 'flow' || option === '--flow') return flows(['run', 'sweep', 'plan'].includes(group))
  if (name === 'node' || option === '--node') {
    const flow = given[0] ?? values.get('--flow')
    return flow === undefined ? null : nodes(flow)
  }
  if (name === 'run' || option === '--run' || (group === 'runs' && option === null && /^ids?$/.test(name))) return runs
  if (option === '--group') return sweeps
  if (option === null && ['message', 'pattern'].includes(name)) return named('/messages/', 'name', ({ dtype }) => dtype)
  if (name === 'dashboard') return named('/dashboards/', 'name', ({ title }) => title)
  if (group === 'devices' && name === 'id' && verb !== 'add')
    return named('/devices/', 'id', ({ name: title }) => title)
  if (group === 'workers' && verb === 'show') return named('/workers/', 'name', ({ status }) => status)
  return null
}

type Entry = Readonly<Record<string, unknown>>

/** Objects of a list; what is none is left out. */
const entries = (answer: unknown): Entry[] =>
  Array.isArray(answer) ? answer.filter((one): one is Entry => typeof one === 'object' && one !== null) : []

const named = (path: string, key: string, about: (entry: Entry) => unknown): Source => ({
  path,
  words: (answer) => entries(answer).map((entry) => ({ word: text(entry[key]), about: text(about(entry)) })),
})

/** Flows, or only those that have runs. */
const flows = (isBatch: boolean): Source => ({
  path: '/flows/',
  words: (answer) =>
    entries(answer)
      .filter(({ mode }) => !isBatch || mode === 'batch')
      .map(({ name, mode, status }) => ({ word: text(name), about: `${text(mode)}, ${text(status)}` })),
})

const nodes = (flow: string): Source => ({
  path: `/flows/${encodeURIComponent(flow)}`,
  words: (answer) =>
    entries((answer as { nodes?: unknown }).nodes).map(({ id, type }) => ({ word: text(id), about: text(type) })),
})

const runs: Source = {
  path: '/runs/?limit=50',
  words: (answer) =>
    entries(answer).map(({ id, flow, status, created_at: at }) => ({
      word: text(id),
      about: `${text(flow)} ${text(status)} ${text(at).slice(0, 16)}`,
    })),
}

const sweeps: Source = {
  path: '/runs/?limit=500',
  words(answer) {
    const groups = new Map<string, Candidate>()
    for (const { group_id: group, flow, created_at: at } of entries(answer)) {
      if (group !== null)
        groups.set(text(group), { word: text(group), about: `${text(flow)} ${text(at).slice(0, 16)}` })
    }
    return [...groups.values()]
  },
}

const text = (value: unknown): string => (typeof value === 'string' ? oneLine(value, 200) : '')

/** An answer of the engine; an empty list without one. */
async function ask(
  path: string,
  flags: { [Flag in keyof ClientFlags]: ClientFlags[Flag] | undefined },
): Promise<unknown> {
  const { url, token } = flags
  const { baseUrl, accessToken } = findEngine({ ...(url ? { url } : {}), ...(token ? { token } : {}) })
  if (baseUrl === undefined || accessToken === undefined) return []
  // `fetch` takes longer to load than all the rest
  const { get } = baseUrl.startsWith('https:') ? await import('node:https') : await import('node:http')
  const headers = { authorization: `Bearer ${accessToken}` }
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(Number(process.env['SERVICE_COMPLETE_MS']) || LIMIT_MS)
    get(`${baseUrl}${path}`, { headers, signal, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => resolve(answer.statusCode === 200 ? parsed(Buffer.concat(chunks).toString()) : []))
    }).on('error', reject)
  })
}

/** What is no JSON is no answer of an engine. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return []
  }
}
