/**
 * The credential of a simulated device, kept in the user's configuration folder so that it comes back as the same device.
 * @module
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

import type { PairedDevice } from '@flow-service/device-sdk'

import { CommandFailure } from './failure.ts'

/** What makes a simulated device the same one. */
export interface DeviceIdentity {
  readonly url: string
  readonly board: string
  readonly name: string
}

/** The file of a device, under XDG_CONFIG_HOME or ~/.config. */
export function credentialFile({ url, board, name }: DeviceIdentity, env: NodeJS.ProcessEnv = process.env): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([url, board, name]))
    .digest('hex')
    .slice(0, 12)
  const folder = join(env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'flow-service', 'devices')
  return join(folder, `${board}-${digest}.json`)
}

/** What a file keeps; null when there is none. */
export function readCredential(file: string): PairedDevice | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const kept = JSON.parse(text) as Partial<PairedDevice>
    if (typeof kept.url === 'string' && typeof kept.credential === 'string') return kept as PairedDevice
  } catch {
    // falls through to the failure below
  }
  throw new CommandFailure(1, `${file} is no credential of a device; pair anew with --forget`)
}

/** Keeps a credential, readable by its owner alone. */
export function keepCredential(file: string, device: PairedDevice): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, `${JSON.stringify(device, null, 2)}\n`, { mode: 0o600 })
  renameSync(fresh, file)
}

/** Keeps it no longer. */
export const forgetCredential = (file: string): void => rmSync(file, { force: true })
