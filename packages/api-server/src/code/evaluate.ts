/**
 * Evaluates flow modules in a process of their own (wire decision S2): the engine imports none of them. The process
 * ends when it has answered, after {@link EVALUATION_LIMIT_MS} at the latest.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { entryBeside, ImportProcess } from './import-process.ts'
import type { PlainModules } from './modules.ts'
import { codeFrame, type LoadError } from './project.ts'

/** Time that all modules together have to load, in milliseconds. */
const EVALUATION_LIMIT_MS = 10_000
/** The entry of the process. */
const CHILD = entryBeside(import.meta.url, 'evaluate-child')

/** A definition behind a node; `place` is the module and export that hold it, null when no module exports it. */
export interface FoundNode {
  readonly node: string
  readonly kind: string
  readonly id: string
  readonly file: string | null
  readonly place: { readonly url: string; readonly export: string } | null
}

/** An exported flow. `document` is what the author's code has made, unchecked. */
export interface FoundFlow {
  readonly url: string
  readonly export: string
  readonly name: string
  readonly document: unknown
  readonly nodes: readonly FoundNode[]
}

/** An exported dashboard. `document` is what the author's code has made, unchecked. */
export interface FoundDashboard {
  readonly url: string
  readonly name: string
  readonly document: unknown
}

/** What the process is told. */
export type EvaluationRequest = Pick<PlainModules, 'modules' | 'entries'>
/** What the process tells. */
export type EvaluationReply =
  | { readonly kind: 'importing'; readonly url: string }
  | { readonly kind: 'failed'; readonly url: string; readonly message: string; readonly stack: string }
  | ({ readonly kind: 'found' } & Found)

/** What modules export. */
interface Found {
  readonly flows: readonly FoundFlow[]
  readonly dashboards: readonly FoundDashboard[]
}

/** What was found, and which modules failed. */
export interface Evaluation extends Found {
  /** URLs of the modules that failed. */
  readonly failed: readonly string[]
  readonly errors: readonly LoadError[]
}

/** How to run the process: its project, its environment, and its time in milliseconds. */
export interface EvaluationOptions {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly limitMs?: number
}

/** Evaluates modules. One that fails, hangs or ends the process is told as an error and leaves the others in. */
export async function evaluateModules(request: EvaluationRequest, options: EvaluationOptions): Promise<Evaluation> {
  if (request.entries.length === 0) return { ...none, failed: [], errors: [] }
  const { stoppedAt, ...evaluation } = await evaluateOnce(request, options)
  if (stoppedAt === null) return evaluation
  const entries = request.entries.filter((url) => url !== stoppedAt.url)
  const rest = await evaluateModules({ ...request, entries }, options)
  const fatal = errorAt(stoppedAt.url, stoppedAt.why, '', options.root)
  return { ...rest, failed: [stoppedAt.url, ...rest.failed], errors: [fatal, ...rest.errors] }
}

const none: Found = { flows: [], dashboards: [] }

interface Attempt extends Evaluation {
  readonly stoppedAt: { readonly url: string; readonly why: string } | null
}

function evaluateOnce(request: EvaluationRequest, options: EvaluationOptions): Promise<Attempt> {
  const { root, env, limitMs = EVALUATION_LIMIT_MS } = options
  let importing = request.entries[0] ?? ''
  const failed: string[] = []
  const errors: LoadError[] = []
  return new Promise((resolve) => {
    const stop = ({ flows, dashboards }: Found, why: string | null): void => {
      clearTimeout(limit)
      child.end()
      resolve({ flows, dashboards, failed, errors, stoppedAt: why === null ? null : { url: importing, why } })
    }
    const limit = setTimeout(() => {
      stop(none, `did not finish loading within ${limitMs / 1000} s; keep long work inside stages and nodes`)
    }, limitMs)
    const child = new ImportProcess(
      CHILD,
      { cwd: root, env },
      {
        ended: (how) => stop(none, how),
        message(message) {
          const reply = message as EvaluationReply
          if (reply.kind === 'importing') importing = reply.url
          else if (reply.kind === 'found') {
            stop(reply, null)
            // of a process that has not lived to answer, its error has it
            void child.words.then((words) => process.stderr.write(words))
          } else {
            failed.push(reply.url)
            errors.push(errorAt(reply.url, reply.message, reply.stack, root))
          }
        },
      },
    )
    child.send(request)
  })
}

/** The first place of a stack in the project's own code; without one, the module itself. */
function errorAt(url: string, message: string, stack: string, root: string): LoadError {
  const place = [...stack.matchAll(/(file:\/\/[^\s()]+?|\/[^\s():]+):(\d+):(\d+)/g)]
    .map(([, file = '', line, column]) => ({ file: pathOf(file), line: Number(line), column: Number(column) }))
    // the engine itself may be part of the project
    .filter(({ file }) => file !== CHILD && file.startsWith(root + path.sep) && !file.includes('/node_modules/'))
    .find(({ file }) => fs.existsSync(file))
  if (place === undefined)
    return { file: path.relative(root, pathOf(url)), line: null, column: null, message, frame: null }
  const { file, line, column } = place
  const frame = codeFrame(fs.readFileSync(file, 'utf8'), line, column)
  return { file: path.relative(root, file), line, column, message, frame }
}

const pathOf = (url: string): string => (url.startsWith('file:') ? fileURLToPath(url) : url)
