/**
 * What shells of clusters read: words of settings, and the command that starts a worker there.
 * @module
 */
import type { JobOrder } from './scheduler.ts'

const MAX_WORDS = 500

/** What a shell would take apart, or expand, between single quotes; a single quote stands outside of them. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Starts a worker of an order, without its token. */
export function workerCommand({ profile, name, maxIdleS }: JobOrder, url: string): string {
  const { cpus, gpus, ram_mb } = profile
  const options = { url, name, cpus, gpus, 'ram-mb': ram_mb, 'max-idle': maxIdleS }
  const words = Object.entries(options).flatMap(([option, value]) => [`--${option}`, quoted(String(value))])
  return `service-worker ${words.join(' ')}`
}

/** Tokens of workers; a line of a profile, or a wrapper of a command, may print the one that it was given. */
const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g

/** The last lines of what a cluster has said that are not empty, for people: without tokens, cut to 500 characters. */
export function lastWords(text: string): string {
  const lines = text
    .replaceAll(token, '***')
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/\p{Cc}/gu, ' ').trim())
    .filter((line) => line !== '')
  return lines.slice(-3).join('; ').slice(-MAX_WORDS)
}
