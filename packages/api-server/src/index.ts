/**
 * The flow-service engine as a library.
 * @module
 */
export { apiDocument } from './api.ts'
export { forgetKeys } from './auth/forget-keys.ts'
export { openStoppedAccounts, type StoppedAccounts } from './auth/stopped-accounts.ts'
export { type ResolvedConfig, type ServiceConfig, settings } from './config.ts'
export { checkFlowDocument, type DocumentFinding, type KnownSurroundings } from './flows/check-document.ts'
export type { DashboardChange, DashboardRegistration, RegisteredName, ReloadResult } from './flows/code-flows.ts'
export type { PackageChange } from './flows/developed-types.ts'
export type { FlowChange } from './flows/code-registration.ts'
export type { LoadError } from './code/project.ts'
export type { HostedRouter } from './http/hosted.ts'
export type { HostConnectors } from './host-options.ts'
export type { Inspected } from '@flow-service/worker-agent'
export type {
  NodeDropped,
  NodeFailed,
  NodeHealth,
  NodeListener,
  NodePrint,
  NodeReport,
  PayloadRefused,
} from './host/node-report.ts'
export type { Mail, Mailer } from './mail/mailer.ts'
export { type Address, createService, type Service } from './service.ts'
export { ConfigError, type Setting } from './process/setting.ts'
