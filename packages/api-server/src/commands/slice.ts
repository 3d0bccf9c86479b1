/**
 * Commands in English: who understands them.
 * @module
 */
import type { CommandModel } from '@flow-service/protocol'

import { outgoing } from '../egress/layer.ts'
import { clock, config } from '../process/given.ts'
import { makes, noun } from '../process/layer.ts'
import { openCommandsModel } from './model.ts'

/** Null for the grammar of the package that a host installs. */
export const commandsModel = noun<CommandModel | null>()('commandsModel')

export const commandsLayer = makes(commandsModel, { clock, config, outgoing }, openCommandsModel)
