import { deadLetterReasonSchema } from '@flow-service/protocol'

import { CommandFailure, isRefusal, refusalText } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, counted, printAnswer, shortTime, yellow } from '../terminal.ts'

const reasons = deadLetterReasonSchema.options

/** What one request delivers at most. */
const BATCH = 1000

interface ListFlags extends ClientFlags {
  readonly flow?: string
  readonly node?: string
  readonly reason?: string
  readonly since?: string
  readonly before?: string
  readonly limit?: number
}

/** `service dead-letter list`. */
export async function listDeadLetters(flags: ListFlags): Promise<void> {
  const { flow, node, reason, since, before, limit } = flags
  const letters = await connect(flags).observability.deadLetter({
    ...(flow === undefined ? {} : { flow }),
    ...(node === undefined ? {} : { node }),
    ...(reason === undefined ? {} : { reason }),
    ...(since === undefined ? {} : { since }),
    ...(before === undefined ? {} : { before }),
    ...(limit === undefined ? {} : { limit }),
  })
  const rows = letters.map((letter) => [
    letter.id,
    shortTime(letter.ts),
    letter.node === null ? letter.flow : `${letter.flow}.${letter.node}`,
    yellow(letter.reason),
    letter.message ?? '-',
    oneLine(letter.value, 40),
    String(letter.attempts),
  ])
  printAnswer(letters, flags.json, () =>
    table(['ID', 'AT', 'NODE', 'REASON', 'MESSAGE', 'VALUE', 'TRIED'], rows, 'No dead letters.'),
  )
}

/** `service dead-letter dismiss <id...>`. */
export async function dismissDeadLetters(ids: readonly string[], flags: ClientFlags): Promise<void> {
  const { observability } = connect(flags)
  // oxlint-disable-next-line no-await-in-loop -- the first that is not there ends it, and what came before is done
  for (const id of ids) await observability.dismiss(id)
  printAnswer({ dismissed: ids.length }, flags.json, () => `dismissed ${counted(ids.length, 'dead letter')}`)
}

interface ReplayFlags extends ClientFlags {
  readonly all?: boolean
  readonly flow?: string
  readonly node?: string
  readonly reason?: string
  readonly since?: string
  readonly before?: string
}

/** `service dead-letter replay [id...]`: those of the ids, or all that fit. */
export async function replayDeadLetters(ids: readonly string[], flags: ReplayFlags): Promise<void> {
  const { flow, node, since, before: until } = flags
  const filters = { flow, node, reason: reasonOf(flags.reason), since, until }
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
  const isFiltered = flags.all === true || Object.keys(given).length > 0
  if (ids.length > 0 === isFiltered) {
    const what = isFiltered ? 'give ids or what they have in common, not both' : 'nothing is named'
    throw new CommandFailure(2, `${what}; name dead letters by their ids, or by --flow, --node, --reason, or --all`)
  }
  const { observability } = connect(flags)
  if (isFiltered) {
    // one that fails again is a new one
    const wanted = { until: new Date().toISOString(), ...given }
    let replayed = 0
    for (let more = BATCH; more === BATCH; replayed += more) more = (await observability.replayMany(wanted)).replayed
    return printAnswer({ replayed }, flags.json, () => `${counted(replayed, 'dead letter')} delivered again`)
  }
  const answers: Answer[] = []
  for (const id of ids) answers.push(await answerTo(id, () => observability.replay(id)))
  const failures = answers.filter(({ error }) => error !== null)
  if (flags.json || failures.length < answers.length) {
    printAnswer(answers, flags.json, () =>
      answers
        .filter(({ error }) => error === null)
        .map(answerLine)
        .join('\n'),
    )
  }
  for (const answer of failures) console.error(`error: ${answerLine(answer)}`)
  if (failures.length > 0) process.exitCode = 1
}

/** What became of one of several ids. */
interface Answer {
  readonly id: string
  readonly cascade: string | null
  /** Why it stays where it was. */
  readonly error: string | null
}

/** A refusal of one id is no reason to leave the others; without an engine or a sign-in there is no other. */
async function answerTo(id: string, replay: () => Promise<{ cascade: string }>): Promise<Answer> {
  try {
    return { id, cascade: (await replay()).cascade, error: null }
  } catch (error) {
    if (!isRefusal(error) || error.status === 401 || error.status === 403) throw error
    return { id, cascade: null, error: refusalText(error) }
  }
}

const answerLine = ({ id, cascade, error }: Answer): string =>
  error === null ? `${bold(id)} delivered again, cascade ${cascade}` : `${bold(id)} is not delivered: ${error}`

function reasonOf(text: string | undefined) {
  const reason = reasons.find((known) => known === text)
  if (text === undefined || reason !== undefined) return reason
  throw new CommandFailure(2, `"${text}" is no reason; the reasons are ${reasons.join(', ')}`)
}
