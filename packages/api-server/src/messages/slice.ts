/**
 * The catalogue of messages, with their last values and history.
 * @module
 */
import { routes } from '../http/slice-api.ts'
import { makes, noun } from '../process/layer.ts'
import { createCurrentValues, type CurrentValues } from './current-values.ts'
import type { LastValues } from './last-values.ts'
import {
  createMessages,
  type DeviceMessages,
  type FarMessages,
  type MessageCatalogue,
  type Messages,
  type MessagesDeps,
} from './messages.ts'
import { messagesEndpoints, messagesHandlers } from './routes.ts'

/** Made with kept work, which waits for them and they for it. */
export const lastValues = noun<LastValues>()('lastValues')

/** What published flows declare. */
export const catalogue = noun<MessageCatalogue>()('catalogue')

/** Has values of messages come here that flows of other engines publish; null where there is one engine alone. */
export const farMessages = noun<FarMessages | null>()('farMessages')

/** Resolves when the values of flows that other engines run are known. */
export const valuesElsewhere = noun<() => Promise<void>>()('valuesElsewhere')

/** The way of a value from outside into flows. */
export const publisher = noun<Pick<MessagesDeps, 'committed' | 'elsewhere' | 'publish' | 'refused'>>()('publisher')

export const values = noun<CurrentValues>()('values')
export const messages = noun<Messages>()('messages')

/** What devices publish; made where their wiring is known. */
export const deviceMessages = noun<DeviceMessages>()('deviceMessages')

export const valuesLayer = makes(values, { lastValues, catalogue }, ({ lastValues, catalogue }) =>
  createCurrentValues(lastValues, catalogue),
)

export const messagesLayer = makes(
  messages,
  { lastValues, catalogue, publisher, valuesElsewhere },
  ({ publisher, valuesElsewhere: look, ...deps }) => createMessages({ ...deps, ...publisher, look }),
)

export const messagesApi = {
  tags: { messages: 'The catalogue of messages with their last values.' },
  routes: [routes(messagesEndpoints, { messages, ofDevices: deviceMessages }, messagesHandlers)],
}
