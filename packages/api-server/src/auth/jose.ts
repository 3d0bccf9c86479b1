/**
 * The library of signed tokens. It is loaded with the first token that is made or read, which need not be within the start.
 * @module
 */
import { once } from '../db/once.ts'

export const jose = once(() => import('jose'))
