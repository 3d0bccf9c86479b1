import { loadCommandsPackage } from '../commands-package.ts'
import { CommandFailure } from '../failure.ts'
import { houseOfFlow } from '../house-of-flow.ts'
import { changedHouse, describedHouse, type House, type HouseFlags } from '../house.ts'
import { type ClientFlags, connect } from '../session.ts'
import { printable } from '../table.ts'
import { bold, dim, printAnswer } from '../terminal.ts'
import { houseText, triedDocument, type TriedSentence, triedText } from '../tried-sentence.ts'
import { typedLines } from '../typed-lines.ts'

interface TryFlags extends ClientFlags, HouseFlags {
  readonly flow?: string
  readonly node?: string
}

/** `service commands try [sentence]`. */
export async function tryCommands(words: readonly string[], flags: TryFlags): Promise<void> {
  const { explain } = await loadCommandsPackage()
  const house = houseBy(flags)
  const tried = (sentence: string, at: House): TriedSentence => ({
    sentence,
    house: at,
    explanation: explain(sentence, at.context),
  })
  if (words.length > 0) {
    const at = await house()
    const attempt = tried(words.join(' '), at)
    printAnswer(triedDocument(attempt), flags.json, () => `${houseText(at)}\n\n${triedText(attempt)}`)
    return
  }
  const terminal = process.stdin.isTTY && process.stdout.isTTY ? process.stdout : null
  let shown = ''
  const show = (at: House): void => {
    const text = houseText(at)
    if (!flags.json && text !== shown) console.log(`${text}\n`)
    shown = text
  }
  // what options say in vain is told before anything is typed
  show(await house())
  if (terminal !== null) console.log(dim('A sentence on each line; "exit" or Ctrl-D ends.'))
  for await (const sentence of typedLines({ input: process.stdin, terminal })) {
    const at = await house()
    show(at)
    const attempt = tried(sentence, at)
    const heard = terminal === null ? `${bold(`> ${printable(sentence)}`)}\n` : ''
    console.log(flags.json ? JSON.stringify(triedDocument(attempt)) : `${heard}${triedText(attempt)}\n`)
  }
}

/** The house at the time of asking: what a flow knows changes between two sentences. */
function houseBy(flags: TryFlags): () => Promise<House> {
  const { flow, node } = flags
  if (flow === undefined) {
    if (node !== undefined) throw new CommandFailure(2, `"${node}" is a node of which flow? give --flow too`)
    return async () => describedHouse(flags, new Date())
  }
  const client = connect(flags)
  return async () =>
    changedHouse(await houseOfFlow(client, { flow, ...(node === undefined ? {} : { node }) }, new Date()), flags)
}
