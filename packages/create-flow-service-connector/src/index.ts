/**
 * Makes packages with a connector, as the command `create-flow-service-connector` does.
 * @module
 */
export {
  type ConnectorKind,
  type ConnectorOptions,
  connectorKinds,
  createConnector,
  type MadeConnector,
  nextSteps,
} from './create-connector.ts'
export { UsageError } from 'create-flow-service'
