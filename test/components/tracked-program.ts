/**
 * A program whose run is tracked, with a journal on its disk as clients keep one: what it has logged stands there before it
 * is sent, and is sent again until it is answered. Arguments: the data directory of the engine, and the journal. It prints
 * `acknowledged` for each answer, and ends its run at the end of its input.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** What one request has. */
export interface JournalEntry {
  readonly seq: number
  readonly metrics: readonly { readonly name: string; readonly steps: number[]; readonly values: number[] }[]
}

/** The id of the run, and what it has logged; a line that a kill has cut off was never logged. */
export function readJournal(path: string): { readonly id: string; readonly entries: JournalEntry[] } {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  const [head = '{}', ...rest] = lines
  return { ...(JSON.parse(head) as { id: string }), entries: rest.map((line) => JSON.parse(line) as JournalEntry) }
}

async function main(dataDir: string, journal: string): Promise<void> {
  const answered = `${journal}.answered`
  const { id, entries } = readJournal(journal)
  let last = existsSync(answered) ? readFileSync(answered, 'utf8').split('\n').length - 1 : 0
  let isOver = false
  process.stdin.on('end', () => (isOver = true)).resume()

  /** The answer of an engine that is there; until then it is asked again. */
  const ask = async (path: string, body: object): Promise<Record<string, unknown>> => {
    for (;;) {
      try {
        const { base_url: url, access_token: token } = JSON.parse(
          readFileSync(join(dataDir, 'cli.json'), 'utf8'),
        ) as Record<string, string>
        const response = await fetch(`${url}${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        })
        const text = await response.text()
        if (response.ok) return JSON.parse(text) as Record<string, unknown>
        // a stop or a busy database; anything else is wrong
        if (response.status !== 503) throw new Refused(`${response.status} ${text}`)
      } catch (error) {
        if (error instanceof Refused) throw error
      }
      await delay(20)
    }
  }

  const send = async (body: JournalEntry | { readonly seq: number; readonly status: 'ok' }): Promise<void> => {
    const answer = await ask(`/runs/${id}/track`, body)
    if (JSON.stringify(answer['dropped']) !== '{}') throw new Refused(`points were dropped: ${JSON.stringify(answer)}`)
    appendFileSync(answered, '\n')
    last = body.seq
    console.log('acknowledged')
  }

  await ask('/runs/track', { id, flow: 'fit' })
  let seq = entries.length
  for (const entry of entries) if (entry.seq > last) await send(entry)
  for (; !isOver;) {
    seq += 1
    // five steps for each request, and a second curve with one
    const steps = Array.from({ length: 5 }, (_, at) => 5 * seq + at)
    const loss = { name: 'loss', steps, values: steps.map((step) => 1 / step) }
    const entry: JournalEntry = { seq, metrics: [loss, { name: 'acc', steps: [seq], values: [seq] }] }
    appendFileSync(journal, `${JSON.stringify(entry)}\n`)
    await send(entry)
  }
  await send({ seq: seq + 1, status: 'ok' })
}

class Refused extends Error {}

const [dataDir, journal] = process.argv.slice(2)
if (import.meta.main && dataDir !== undefined && journal !== undefined) await main(dataDir, journal)
