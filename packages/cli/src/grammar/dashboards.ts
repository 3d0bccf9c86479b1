import type { Command } from 'commander'

import { clientOptions, integer, lazily, withExamples } from './options.ts'

/** `dashboards …`. */
export function addDashboards(root: Command): void {
  const dashboards = root.command('dashboards').description('what people see of messages and runs')
  const theDashboard = (verb: string): Command =>
    clientOptions(dashboards.command(verb).argument('<dashboard>', 'name of a dashboard'))
  const list = clientOptions(dashboards.command('list'))
    .description('dashboards with their version')
    .action(lazily(async () => (await import('../commands/dashboards.ts')).listDashboards))
  withExamples(list, 'dashboards list')
  const show = theDashboard('show')
    .description('what a dashboard shows, and what it names in vain')
    .option('--published', 'the published content, also when there is a draft')
    .action(lazily(async () => (await import('../commands/dashboards.ts')).showDashboard))
  withExamples(show, 'dashboards show hall', 'dashboards show hall --published --json | jq .content')
  const fromFlow = clientOptions(
    dashboards
      .command('from-flow')
      .argument('<flow>', 'name of a batch flow')
      .argument('[name]', 'name of the dashboard (the flow with _results)'),
  )
    .description('make a published dashboard of the curves and results of a batch flow')
    .action(lazily(async () => (await import('../commands/dashboards.ts')).fromFlow))
  withExamples(fromFlow, 'dashboards from-flow estimate_pi')
  const exported = theDashboard('export')
    .description('title and content as JSON, for a file')
    .option('--published', 'the published content, also when there is a draft')
    .action(lazily(async () => (await import('../commands/dashboards.ts')).exportDashboard))
  withExamples(exported, 'dashboards export hall > hall.json')
  const imported = theDashboard('import')
    .argument('<file>', 'what an export has written, - for standard input')
    .description('save a draft, of a new dashboard too')
    .option('--version <number>', 'only if the dashboard is still at this version', integer)
    .option('--publish', 'publish it too')
    .action(lazily(async () => (await import('../commands/dashboards.ts')).importDashboard))
  withExamples(imported, 'dashboards import hall hall.json', 'dashboards import hall - --publish < hall.json')
  const publish = theDashboard('publish')
    .description('make the draft the published content')
    .option('--version <number>', 'only if the dashboard is still at this version', integer)
    .action(lazily(async () => (await import('../commands/dashboards.ts')).publishDashboard))
  withExamples(publish, 'dashboards publish hall')
  const remove = theDashboard('delete')
    .description('delete a dashboard with its draft')
    .action(lazily(async () => (await import('../commands/dashboards.ts')).deleteDashboard))
  withExamples(remove, 'dashboards delete hall')
}
