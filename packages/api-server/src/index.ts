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
export { type BackupSummary, writeBackupFile, type WritingOptions } from './moving/backup/backup-file.ts'
export { type KeyFile, readKeys } from './moving/backup/keys.ts'
export { offlineBackup } from './moving/backup/offline-backup.ts'
export { inspectBackup } from './moving/backup/restore.ts'
export {
  moveByName,
  type NamedMove,
  type NamedRestore,
  planByName,
  restoreByName,
  undoByName,
} from './moving/by-name.ts'
export type { MoveReport } from './moving/move.ts'
export type { Step } from './moving/progress.ts'
export { type Address, createService, type Service } from './service.ts'
export { ConfigError, type Setting } from './process/setting.ts'
