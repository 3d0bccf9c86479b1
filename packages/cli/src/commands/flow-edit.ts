/**
 * What changes flows: `save publish discard rename duplicate delete`.
 * @module
 */
import { ApiError, type Flow, type FlowDocument } from '@flow-service/client-sdk'

import { nameOf, readDocument } from '../document-file.ts'
import { CommandFailure } from '../failure.ts'
import { issueLines, issueSummary } from '../issues.ts'
import { type ClientFlags, connect } from '../session.ts'
import { bold, printAnswer, status } from '../terminal.ts'

interface SaveFlags extends ClientFlags {
  readonly name?: string
  readonly publish?: boolean
}

/** `service flows save <file>`: the version is the document's, so that nobody's newer work is lost. */
export async function saveFlow(file: string, flags: SaveFlags): Promise<void> {
  const document = readDocument(file)
  const name = nameOf(document, flags.name)
  const client = connect(flags)
  const flowDocument = { ...document, name } as FlowDocument // the engine says what is wrong with it
  const saved = await client.flows.save(name, flowDocument).catch((error: unknown) => {
    throw withRemedy(error, { name, given: document.version })
  })
  const flow = flags.publish ? await client.flows.publish(name, { version: saved.version }) : saved
  const next = flags.publish ? [] : [`publish it with: service flows publish ${name}`]
  printAnswer(flow, flags.json, () =>
    [
      `${flags.publish ? `saved and published ${stateOf(flow)}` : `saved the draft of ${versionOf(flow)}`}, ${issueSummary(flow.issues)}`,
      ...issueLines(flow.issues),
      ...next,
      `the next save of this document says "version": ${flow.version}`,
    ].join('\n'),
  )
}

interface PublishFlags extends ClientFlags {
  readonly restart?: boolean
  readonly version?: number
}

/** `service flows publish <flow>`. */
export async function publishFlow(name: string, flags: PublishFlags): Promise<void> {
  const client = connect(flags)
  const version = flags.version ?? (await client.flows.get(name)).version
  const flow = await client.flows.publish(name, { version, ...(flags.restart ? { restart: true } : {}) })
  const anew = flow.rebuilt.length === 0 ? '' : `, made anew: ${flow.rebuilt.join(', ')}`
  printAnswer(flow, flags.json, () => `published ${stateOf(flow)}${anew}`)
}

/** `service flows discard <flow>`. */
export async function discardFlow(name: string, flags: ClientFlags): Promise<void> {
  const client = connect(flags)
  const { has_draft: had } = await client.flows.get(name)
  const flow = await client.flows.discardDraft(name)
  printAnswer(flow, flags.json, () => (had ? `discarded the draft of ${stateOf(flow)}` : `${name} has no draft`))
}

/** `service flows rename <flow> <name>`. */
export async function renameFlow(name: string, to: string, flags: ClientFlags): Promise<void> {
  const flow = await connect(flags).flows.rename(name, { name: to })
  printAnswer(flow, flags.json, () => `renamed ${name} to ${stateOf(flow)}`)
}

/** `service flows duplicate <flow> [name]`. */
export async function duplicateFlow(name: string, to: string | undefined, flags: ClientFlags): Promise<void> {
  const flow = await connect(flags).flows.duplicate(name, to === undefined ? {} : { name: to })
  printAnswer(flow, flags.json, () => `copied ${name} to the draft of ${versionOf(flow)}`)
}

/** `service flows delete <flow>`. */
export async function deleteFlow(name: string, flags: ClientFlags): Promise<void> {
  await connect(flags).flows.delete(name)
  printAnswer({ deleted: name }, flags.json, () => `deleted ${name}`)
}

const versionOf = ({ name, version }: Flow): string => `${bold(name)}, version ${version}`

const stateOf = (flow: Flow): string => `${versionOf(flow)}, ${status(flow.status)}`

/** A conflict of versions with what to do about it; every other refusal as it is. */
function withRemedy(error: unknown, { name, given }: { name: string; given: unknown }): unknown {
  if (!(error instanceof ApiError) || error.problem.code !== 'version_conflict') return error
  const current = String(error.problem.current_version)
  const what =
    given === undefined || given === 0
      ? 'and the document has no "version", which means a new flow'
      : `and the document is made from version ${JSON.stringify(given)}`
  return new CommandFailure(
    1,
    [
      `flow "${name}" is at version ${current} now, ${what}`,
      `  see what is there: service flows get ${name} --json`,
      `  merge it, set "version": ${current} in the document, and save again`,
    ].join('\n'),
  )
}
