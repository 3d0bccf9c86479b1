/**
 * The grammar of the command line: names, arguments, options and help. What they do lives in `commands/`, and is loaded
 * when it is used.
 * @module
 */
import { createRequire } from 'node:module'

import { Command } from 'commander'

import { addAlerts } from './grammar/alerts.ts'
import { addArtifacts } from './grammar/artifacts.ts'
import { addAudit } from './grammar/audit.ts'
import { addCommands } from './grammar/commands.ts'
import { addCompletion } from './grammar/completion.ts'
import { addConnectors } from './grammar/connectors.ts'
import { addDashboards } from './grammar/dashboards.ts'
import { addDeadLetters } from './grammar/dead-letters.ts'
import { addDevice, addDevices } from './grammar/devices.ts'
import { addEngine, addEngines, addSigningKeys } from './grammar/engine.ts'
import { addFlows, addValidate } from './grammar/flows.ts'
import { addKeys } from './grammar/keys.ts'
import { addMessages } from './grammar/messages.ts'
import { addModules } from './grammar/modules.ts'
import { addMoving } from './grammar/moving.ts'
import { addOAuth } from './grammar/oauth.ts'
import { addProvisioners } from './grammar/provisioners.ts'
import { addRuns } from './grammar/runs.ts'
import { addSecrets } from './grammar/secrets.ts'
import { addOtherWords } from './grammar/spelling.ts'
import { addUsers } from './grammar/users.ts'
import { addWorker, addWorkers } from './grammar/workers.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

/** The whole grammar, ready to parse. */
export function program(): Command {
  const root = new Command('service')
    .description('Flow automation engine: live and batch flows on one graph model.')
    .version(version, '-V, --version')
    .showHelpAfterError('(see --help)')
    .enablePositionalOptions()
    .exitOverride((exit) => process.exit(exit.exitCode === 0 ? 0 : 2))
    .addHelpText(
      'after',
      `
Examples:
  service init my-app                    a project with a live flow and a batch flow
  service dev flows/                     run the engine here, with the flows of a folder
  service flows list                     flows with their state
  service messages watch 'climate.*'     values as they come
  service run estimate_pi -p samples=1000 --seed 7 --watch
  service runs list --flow estimate_pi --json

--url, --token and --json may stand before the verb as well: service --json flows list

Exit codes: 0 done, 1 it failed, 2 wrong usage, 3 no engine or no sign-in.`,
    )
  addEngine(root)
  addWorker(root)
  addFlows(root)
  addValidate(root)
  addMessages(root)
  addDeadLetters(root)
  addAudit(root)
  addRuns(root)
  addArtifacts(root)
  addDashboards(root)
  addSecrets(root)
  addAlerts(root)
  addDevices(root)
  addDevice(root)
  addCommands(root)
  addConnectors(root)
  addModules(root)
  addWorkers(root)
  addProvisioners(root)
  addUsers(root)
  addKeys(root)
  addSigningKeys(root)
  addEngines(root)
  addMoving(root)
  addOAuth(root)
  addCompletion(root)
  addOtherWords(root)
  // for every command of the tree: the help of what does not exist would be that of something else
  return root.on('beforeAllHelp', ({ command }: { readonly command: Command }) => {
    const [first = '-', second = '-'] = command.args
    const word = first === 'help' ? second : first
    if (command.commands.length > 0 && !word.startsWith('-')) command.error(`error: unknown command '${word}'`)
  })
}
