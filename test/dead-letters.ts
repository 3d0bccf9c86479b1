/** What engines have given up, as their API lists it. */
import type { DeadLetterRecord } from '@flow-service/protocol'

import type { EngineProcess } from './engine-process.ts'

const PAGE = 500

/** All dead letters, newest first; those of one flow where it is given. */
export async function deadLetters(
  { client }: Pick<EngineProcess, 'client'>,
  flow?: string,
): Promise<DeadLetterRecord[]> {
  const letters: DeadLetterRecord[] = []
  for (let before: string | undefined; ;) {
    const query = { limit: PAGE, ...(flow === undefined ? {} : { flow }), ...(before === undefined ? {} : { before }) }
    // oxlint-disable-next-line no-await-in-loop -- a page ends where the next one begins
    const page = (await client.http.observability.deadLetter(query)) as DeadLetterRecord[]
    letters.push(...page)
    before = page.at(-1)?.ts
    if (page.length < PAGE || before === undefined) return letters
  }
}
