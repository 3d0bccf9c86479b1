/**
 * Makes projects with flows, as the command `create-flow-service` does; and parts of it for others that make packages.
 * @module
 */
export { createProject, type MadeProject, nextSteps, type ProjectOptions } from './create-project.ts'
export type { PackageManager } from './package-manager.ts'
export { checkPackageName, UsageError } from './package-name.ts'
export { type TemplateOptions, writeTemplate } from './template.ts'
