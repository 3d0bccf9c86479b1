import { Argument, type Command } from 'commander'

import { lazily, withExamples } from './options.ts'

/** `completion`. */
export function addCompletion(root: Command): void {
  const completion = root
    .command('completion')
    .addArgument(new Argument('<shell>', 'which shell it is for').choices(['bash', 'zsh', 'fish']))
    .description('print what a shell sources, so that the tab key completes verbs, options, flows, nodes and runs')
    .action(lazily(async () => (await import('../commands/completion.ts')).completion))
  withExamples(
    completion,
    'completion bash > ~/.local/share/bash-completion/completions/service',
    'completion zsh > ~/.zfunc/_service',
    'completion fish > ~/.config/fish/completions/service.fish',
  )
}
