import { type ConnectorOptions, createConnector, nextSteps, UsageError } from 'create-flow-service-connector'

import { CommandFailure } from '../failure.ts'
import { printAnswer } from '../terminal.ts'

interface NewFlags extends Omit<ConnectorOptions, 'name'> {
  readonly json?: boolean
}

/** `service connectors new <name>`. */
export async function newConnector(name: string, { json, ...options }: NewFlags): Promise<void> {
  try {
    const made = createConnector({ ...options, name })
    printAnswer(made, json, () => nextSteps(made))
  } catch (error) {
    throw error instanceof UsageError ? new CommandFailure(2, error.message) : error
  }
}
