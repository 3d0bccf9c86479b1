import type { Command } from 'commander'

import { clientOptions, lazily, withExamples } from './options.ts'

const type = ['<type>', 'a node type of the package, as "service connectors types" shows it'] as const

/** `connectors …`. */
export function addConnectors(root: Command): void {
  const connectors = root
    .command('connectors')
    .description('node types that packages bring, and what these packages keep')
  const made = connectors
    .command('new')
    .argument('<name>', 'name of its npm package, such as acme-meter or @me/acme-meter')
    .description('make a package with a connector: with its tests, a flow and a made-up device to try it')
    .option('--kind <kind>', 'how its values come: poll (unless given)')
    .option('--type <type>', 'name of the node type in flows; by that of the package unless given')
    .option('--dir <folder>', 'where to make it; a folder of its name unless given')
    .option('--json', 'print JSON for programs')
    .action(lazily(async () => (await import('../commands/new-connector.ts')).newConnector))
  withExamples(made, 'connectors new acme-meter', 'connectors new @me/acme-meter --dir meter')
  const types = clientOptions(connectors.command('types'))
    .description('node types that packages bring, with their settings; "service modules list" tells what is left out')
    .option('--all', 'built-in node types, too')
    .action(lazily(async () => (await import('../commands/connectors.ts')).listTypes))
  withExamples(types, 'connectors types', 'connectors types --all --json')
  const state = connectors
    .command('state')
    .description('what the nodes of a package keep, such as pairings and fingerprints of certificates')
  const list = clientOptions(state.command('list').argument(...type))
    .description('keys of the package that provides the type; never a value')
    .action(lazily(async () => (await import('../commands/connectors.ts')).listState))
  withExamples(list, 'connectors state list acme_meter')
  const forget = clientOptions(
    state
      .command('forget')
      .argument(...type)
      .argument('<key>', 'a key of the list'),
  )
    .description('have the package forget a key, so that it pairs, or trusts a new certificate')
    .action(lazily(async () => (await import('../commands/connectors.ts')).forgetKey))
  withExamples(forget, 'connectors state forget acme_meter cert:10.0.0.5:8443')
  const clear = clientOptions(state.command('clear').argument(...type))
    .description('have the package forget everything that it keeps')
    .action(lazily(async () => (await import('../commands/connectors.ts')).clearState))
  withExamples(clear, 'connectors state clear acme_meter')
}
