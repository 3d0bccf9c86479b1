/**
 * `commands_lm`: turns English sentences into values for the devices that are wired (wire decisions G76, U19, U20). The wiring
 * is what may be written, and a model says what a sentence means.
 * @module
 */
import {
  type AnyNodeDefinition,
  defineNode,
  type NodeContext,
  type NodeInstance,
  reasonOf,
  type Values,
} from '@flow-service/connector-sdk'
import { accepts, type CommandModel, describeValue } from '@flow-service/protocol'

import { missingPackage, notInstalled } from '../../optional-package.ts'
import { readingsIn } from './answer.ts'
import { carryOut } from './carry-out.ts'
import { type HeldData, HeldCalls } from './held-calls.ts'
import { passiveInputs, portFindings, targetsIn } from './ports.ts'
import { type CommandSettings, commandSettings } from './settings.ts'
import { surroundingsOf } from './surroundings.ts'

const PACKAGE = '@flow-service/commands-lm'

/** Where the model of commands comes from. */
export interface CommandsNodeOptions {
  /** Gives the model, for each node that starts; that of the optional package unless given. */
  readonly load?: () => Promise<CommandModel>
  /** The package to install before there is a model; null when it is there, or none is needed. */
  readonly missing?: () => string | null
}

/** The node type `commands_lm` with a model; another one than that of the optional package needs `load` and `missing`. */
export const createCommandsNode = ({
  load = async () => (await import('@flow-service/commands-lm')).grammarModel,
  missing = () => missingPackage(PACKAGE),
}: CommandsNodeOptions = {}): AnyNodeDefinition =>
  defineNode({
    type: 'commands_lm',
    title: 'Commands',
    description: 'Understands commands for a home in English, and writes what they mean to the devices that are wired.',
    category: 'function',
    settings: commandSettings,
    arrival: 'combine',
    passive: () => passiveInputs,
    missing,
    check: portFindings,
    holds(_key, data) {
      const [first] = (data as HeldData).writes
      return first === undefined ? null : [first.port, first.value]
    },

    async start(ctx) {
      const absent = missing()
      try {
        if (absent === null) return startWith(ctx, await load())
        ctx.reportHealth('down', notInstalled(absent))
      } catch (error) {
        ctx.reportHealth('down', `the model of commands does not load: ${reasonOf(error)}`)
      }
      return {}
    },
  })

/** Commands, understood by the grammar of the optional package. */
export const commandsLmNode = createCommandsNode()

function startWith(ctx: NodeContext<CommandSettings>, model: CommandModel): NodeInstance {
  const targets = targetsIn(ctx.outputs)
  const held = new HeldCalls(ctx)
  const surroundings = surroundingsOf(ctx, targets)
  return {
    onInput(values) {
      const { prompt } = values
      if (typeof prompt !== 'string')
        throw new TypeError(`input "prompt" carries ${describeValue(prompt)}; it has to carry a command in words`)
      const atMs = ctx.now()
      const moment = { atMs, waiting: held.waiting(atMs) }
      const understood = (answer: unknown): Values => carryOut(readingsIn(answer), moment, { ctx, targets, held })
      const answer = model.interpret(prompt, surroundings(values), ctx.signal)
      return answer instanceof Promise ? answer.then(understood) : understood(answer)
    },
    onTimer: (key, data) => (held.isDue(key) ? writesNow(ctx, data as HeldData) : undefined),
  }
}

/** What a held call writes when it is due, as far as the node still has the targets and may write. */
function writesNow(ctx: NodeContext<CommandSettings>, { reading, writes }: HeldData): Values {
  const open = writes.filter(
    ({ port, value }) =>
      ctx.settings.apply && ctx.outputs.some((output) => output.port === port && accepts(output.dtype, value)),
  )
  for (const { message } of writes.filter((write) => !open.includes(write)))
    ctx.log(`${reading.call} ${reading.area} is due, and not written to "${message}": the node may not any more`)
  return Object.fromEntries(open.map(({ port, value }) => [port, value]))
}
