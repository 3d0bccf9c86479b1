/**
 * The program that runs Python nodes.
 * @module
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the program is. */
export const runnerPath = fileURLToPath(new URL('../python/runner.py', import.meta.url))

/** The text of the program; the package `service` beside it is its own helper. */
export const runnerSource = (): string => readFileSync(runnerPath, 'utf8')
