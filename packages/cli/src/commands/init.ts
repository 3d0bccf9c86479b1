import { createProject, nextSteps, type ProjectOptions, UsageError } from 'create-flow-service'

import { CommandFailure } from '../failure.ts'
import { printAnswer } from '../terminal.ts'

interface InitFlags extends Omit<ProjectOptions, 'dir'> {
  readonly json?: boolean
}

/** `service init [dir]`. */
export async function init(dir = '.', { json, ...options }: InitFlags): Promise<void> {
  try {
    const made = createProject({ ...options, dir })
    printAnswer(made, json, () => nextSteps(made))
  } catch (error) {
    throw error instanceof UsageError ? new CommandFailure(2, error.message) : error
  }
}
