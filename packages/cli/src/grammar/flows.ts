import type { Command } from 'commander'

import { clientOptions, collect, integer, lazily, positive, withExamples } from './options.ts'

/** `flows …`: documents, and control of what runs. */
export function addFlows(root: Command): void {
  const flows = root.command('flows').description('flows of the engine')
  addReading(flows)
  addEditing(flows)
  addVersions(flows)
  addSwitching(flows)
  addNodes(flows)
}

/** `validate`: a document that no engine has yet. */
export function addValidate(root: Command): void {
  const validate = clientOptions(
    root.command('validate').argument('<file>', 'flow document as JSON, - for standard input'),
  )
    .description('check a flow document before it is saved; exit code 1 with errors')
    .option('--name <flow>', 'name of the flow, when the document has none')
    .option('--offline', 'ask no engine about secrets, flavors and messages of other flows')
    .action(lazily(async () => (await import('../commands/validate.ts')).validate))
  withExamples(validate, 'validate climate.json', 'validate climate.json --json | jq .issues')
}

const theFlow = (flows: Command, verb: string): Command =>
  clientOptions(flows.command(verb).argument('<flow>', 'name of a flow'))

function addReading(flows: Command): void {
  const list = clientOptions(flows.command('list'))
    .description('flows with their state')
    .action(lazily(async () => (await import('../commands/flows.ts')).listFlows))
  withExamples(list, 'flows list')
  const get = theFlow(flows, 'get')
    .description('one flow: state, nodes, messages, issues; --json is the document')
    .option('--published', 'the published content, also when there is a draft')
    .action(lazily(async () => (await import('../commands/flows.ts')).getFlow))
  withExamples(get, 'flows get climate', 'flows get climate --json > climate.json')
  const logs = theFlow(flows, 'logs')
    .argument('[node]', 'id of a node; all unless given')
    .description('what the nodes of a live flow have printed since the engine started: the last 64 KiB of each')
    .option('-f, --follow', 'and what they print, until Ctrl-C')
    .option('-n, --lines <number>', 'begin with the last so many lines of each node', positive)
    .action(lazily(async () => (await import('../commands/logs.ts')).flowLogs))
  withExamples(logs, 'flows logs climate', 'flows logs climate limit --follow --lines 20')
  const validate = theFlow(flows, 'validate')
    .description('check the draft of a flow, or what is published; exit code 1 with errors')
    .action(lazily(async () => (await import('../commands/flows.ts')).validateFlow))
  withExamples(validate, 'flows validate climate')
}

function addEditing(flows: Command): void {
  const save = clientOptions(flows.command('save').argument('<file>', 'flow document as JSON, - for standard input'))
    .description('save a draft; "version" in the document is the version it was made from, none for a new flow')
    .option('--name <flow>', 'name of the flow, when the document has none')
    .option('--publish', 'publish it too')
    .action(lazily(async () => (await import('../commands/flow-edit.ts')).saveFlow))
  withExamples(save, 'flows save climate.json', 'flows save - --name climate --publish < climate.json')
  const publish = theFlow(flows, 'publish')
    .description('make the draft the published content; of an active flow the nodes that have changed are made anew')
    .option('--version <number>', 'only if the flow is still at this version', integer)
    .option('--restart', 'make every node of an active flow anew, also without a draft')
    .action(lazily(async () => (await import('../commands/flow-edit.ts')).publishFlow))
  withExamples(publish, 'flows publish climate', 'flows publish climate --restart')
  const discard = theFlow(flows, 'discard')
    .description('discard the draft: the published content is the current one again')
    .action(lazily(async () => (await import('../commands/flow-edit.ts')).discardFlow))
  withExamples(discard, 'flows discard climate')
  const rename = theFlow(flows, 'rename')
    .argument('<name>', 'its new name')
    .description('rename a flow; values, runs and references of other flows follow')
    .action(lazily(async () => (await import('../commands/flow-edit.ts')).renameFlow))
  withExamples(rename, 'flows rename climate greenhouse')
  const duplicate = theFlow(flows, 'duplicate')
    .argument('[name]', 'name of the copy (the flow with _copy)')
    .description('copy a flow to the draft of a new one')
    .action(lazily(async () => (await import('../commands/flow-edit.ts')).duplicateFlow))
  withExamples(duplicate, 'flows duplicate climate climate_trial')
  const remove = theFlow(flows, 'delete')
    .description('delete a flow, an active one too; its runs are kept')
    .action(lazily(async () => (await import('../commands/flow-edit.ts')).deleteFlow))
  withExamples(remove, 'flows delete climate_trial')
}

function addVersions(flows: Command): void {
  const log = theFlow(flows, 'log')
    .description('what was published of a flow, newest first, and how many runs executed it')
    .option('--limit <number>', 'versions at most, 20 unless given', integer)
    .action(lazily(async () => (await import('../commands/flow-versions.ts')).logFlow))
  withExamples(log, 'flows log climate')
  const diff = theFlow(flows, 'diff')
    .argument('<version>', 'number of a published version', integer)
    .description('what has changed since a version: settings, nodes, sources, wires')
    .option(
      '--to <version>',
      'another version, "draft" or "published"; the draft if there is one, else what is published',
    )
    .action(lazily(async () => (await import('../commands/flow-versions.ts')).diffFlow))
  withExamples(diff, 'flows diff climate 3', 'flows diff climate 3 --to 5')
  const restore = theFlow(flows, 'restore')
    .argument('<version>', 'number of a published version', integer)
    .description('make a published version the draft again; publish it to have it run')
    .action(lazily(async () => (await import('../commands/flow-versions.ts')).restoreFlow))
  withExamples(restore, 'flows restore climate 3')
}

function addSwitching(flows: Command): void {
  const start = theFlow(flows, 'start')
    .description('make a live flow active')
    .action(lazily(async () => (await import('../commands/flow-live.ts')).startFlow))
  withExamples(start, 'flows start climate')
  const stop = theFlow(flows, 'stop')
    .description('stop a live flow')
    .action(lazily(async () => (await import('../commands/flow-live.ts')).stopFlow))
  withExamples(stop, 'flows stop climate')
  const pause = theFlow(flows, 'pause')
    .description('hold every delivery of an active flow')
    .action(lazily(async () => (await import('../commands/flow-live.ts')).pauseFlow))
  withExamples(pause, 'flows pause climate')
  const resume = theFlow(flows, 'resume')
    .description('release what a paused flow holds, in order')
    .action(lazily(async () => (await import('../commands/flow-live.ts')).resumeFlow))
  withExamples(resume, 'flows resume climate')
  const step = theFlow(flows, 'step')
    .description('release the oldest held delivery of a paused flow')
    .action(lazily(async () => (await import('../commands/flow-live.ts')).stepFlow))
  withExamples(step, 'flows step climate')
  const run = theFlow(flows, 'run')
    .description('run the draft once by itself: live until it is quiet, batch as a draft run; its nodes really send')
    .option('-p, --param <name=value>', 'an input of the flow; the value is JSON, or text as it stands', collect)
    .action(lazily(async () => (await import('../commands/flow-live.ts')).runDraft))
  withExamples(run, 'flows run climate -p temp=31.5')
}

function addNodes(flows: Command): void {
  const theNode = (verb: string): Command => theFlow(flows, verb).argument('<node>', 'id of a node of it')
  const trigger = theNode('trigger')
    .description(
      'feed input ports of a node together, or publish on its output ports; without values it acts by itself',
    )
    .option('-p, --param <port=value>', 'a port and its value: JSON, or text as it stands', collect)
    .action(lazily(async () => (await import('../commands/flow-live.ts')).triggerNode))
  withExamples(trigger, 'flows trigger climate limit -p temp=31.5')
  const cancel = theNode('cancel')
    .description('end what a node executes at the moment')
    .action(lazily(async () => (await import('../commands/flow-live.ts')).cancelNode))
  withExamples(cancel, 'flows cancel climate forecast')
  const acknowledge = theNode('acknowledge')
    .description('clear the failure marker of a node')
    .action(lazily(async () => (await import('../commands/flow-live.ts')).acknowledgeNode))
  withExamples(acknowledge, 'flows acknowledge climate forecast')
}
