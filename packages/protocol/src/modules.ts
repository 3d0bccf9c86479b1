/**
 * Modules: the packages that node code and connectors come from, listed in one text (wire decisions G49, U14).
 * @module
 */
import * as z from 'zod'

import { MAX_REQUIREMENTS_BYTES } from './limits.ts'
import { timestampSchema } from './time.ts'

/** Where the packages of Python nodes are. */
const moduleEnvironmentSchema = z.object({
  kind: z.enum(['managed', 'adopted', 'none']).meta({
    description:
      '`managed` by this engine; `adopted`: SERVICE_PYTHON names it, and it is only read; `none`: there is no Python.',
  }),
  python: z.string().nullable().meta({ description: 'Version of the interpreter.' }),
  path: z.string().nullable().meta({ description: 'The interpreter that Python nodes run on.' }),
})

/** A package that is installed. */
const modulePackageSchema = z
  .object({
    name: z.string().meta({ description: 'Of the package.' }),
    version: z.string().meta({ description: 'That is installed.' }),
    ecosystem: z.enum(['pypi', 'npm']).meta({ description: 'Where it comes from.' }),
  })
  .meta({ id: 'ModulePackage' })
export type ModulePackage = z.infer<typeof modulePackageSchema>

/** What became of a package that may hold node types. */
const connectorReportSchema = z
  .object({
    package: z.string().meta({ description: 'Name of the npm package.' }),
    version: z.string().meta({ description: 'Of the package.' }),
    node_types: z.array(z.string()).meta({ description: 'Types that it has brought.' }),
    status: z.enum(['loaded', 'skipped']).meta({ description: 'Whether nodes can use them.' }),
    reason: z.string().nullable().meta({ description: 'Why it was skipped.' }),
  })
  .meta({ id: 'ConnectorReport' })
export type ConnectorReport = z.infer<typeof connectorReportSchema>

/** How things are with the modules of an engine. */
export const moduleStateSchema = z.enum(['ready', 'applying', 'failed'])
export type ModuleState = z.infer<typeof moduleStateSchema>

/** How far an apply is; `line` is the line of the manifest that is being worked on, where that is known. */
export const moduleProgressSchema = z
  .object({
    step: z.enum(['resolve', 'download', 'install', 'swap']).meta({ description: 'What is being done.' }),
    line: z.string().nullable().meta({ description: 'Of the list of packages, to which it belongs; null for all.' }),
    done: z.int().meta({ description: 'Of the step, so far.' }),
    total: z.int().meta({ description: 'Of the step.' }),
  })
  .meta({ id: 'ModuleProgress' })
export type ModuleProgress = z.infer<typeof moduleProgressSchema>

/** The modules of an engine. */
export const modulesSchema = z
  .object({
    environment: moduleEnvironmentSchema.meta({ description: 'Where the packages of Python nodes are.' }),
    requirements: z.string().meta({ description: 'The manifest in force: one requirement a line.' }),
    state: moduleStateSchema.meta({ description: '`failed`: the latest apply was not carried out.' }),
    error: z.string().nullable().meta({ description: 'Why the latest apply failed; what was there before is in use.' }),
    applied_at: timestampSchema
      .nullable()
      .meta({ description: 'When they were applied last; null before the first time.' }),
    progress: moduleProgressSchema.nullable().meta({ description: 'How far an apply is; null while there is none.' }),
    pending_restart: z.boolean().meta({
      description: 'npm packages differ from those that the engine has loaded: start it again to use them.',
    }),
    log: z.array(z.string()).meta({ description: 'What the latest apply has said: its last 50 lines.' }),
    packages: z.array(modulePackageSchema).meta({ description: 'What is installed.' }),
    connectors: z
      .array(connectorReportSchema)
      .meta({ description: 'What became of packages that may hold node types.' }),
  })
  .meta({ id: 'Modules' })
export type Modules = z.infer<typeof modulesSchema>

const tooMuch = `give at most ${MAX_REQUIREMENTS_BYTES} bytes of UTF-8`

/** A manifest to be applied in place of the one in force. */
export const modulesApplySchema = z
  .strictObject({
    requirements: z
      .string()
      .max(MAX_REQUIREMENTS_BYTES, tooMuch)
      .refine((text) => new TextEncoder().encode(text).length <= MAX_REQUIREMENTS_BYTES, tooMuch)
      .meta({
        description:
          'One requirement a line: `numpy>=2`, or `npm:<package>@<range>`; comments with `#`. Nothing removes everything.',
      }),
  })
  .meta({ id: 'ModulesApply' })
