/**
 * Loaded before all else in every thread of a process on a {@link SmallDisk}: lets its file system fail while there are
 * files in the folder `DISK_FAULTS`. `sync`: no file can be synced. `full`: no file can grow, until the reserve of the
 * embedded database has been given up.
 */
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'

const control = process.env['DISK_FAULTS'] ?? ''
const { existsSync, fstatSync, fsyncSync, readFileSync, statfsSync, writeSync } = fs
const isSet = (fault: 'full' | 'sync'): boolean => existsSync(path.join(control, fault))

const failure = (code: string): Error => Object.assign(new Error(`${code}: made by a test`), { code })

/** Whether the reserve is where the command line says that the data is. */
function hasReserve(): boolean {
  const line = readFileSync('/proc/self/cmdline', 'utf8').split('\0')
  return line.some((word) => existsSync(path.join(word, 'db.reserve')))
}

fs.fsyncSync = (descriptor) => {
  if (isSet('sync')) throw failure('EIO')
  fsyncSync(descriptor)
}

fs.writeSync = ((descriptor: number, bytes: Uint8Array, ...rest: [number, number, number | null]) => {
  const [, length, position] = rest
  const isGrowing = typeof position === 'number' && position + length > fstatSync(descriptor).size
  if (isGrowing && isSet('full') && hasReserve()) throw failure('ENOSPC')
  return writeSync(descriptor, bytes, ...rest)
}) as typeof fs.writeSync

fs.statfsSync = ((place: string) => {
  const found = statfsSync(place)
  // as small as a mounted one, so that there is a reserve
  return Object.assign(found, { bavail: isSet('full') ? 0 : Math.floor((128 * 2 ** 20) / found.bsize) })
}) as typeof fs.statfsSync

const handle = await open(import.meta.filename)
const methods = Object.getPrototypeOf(handle) as typeof handle
await handle.close()
const usual = {
  datasync: Reflect.get(methods, 'datasync') as unknown,
  writev: Reflect.get(methods, 'writev') as unknown,
}
methods.writev = function (...target) {
  if (isSet('full')) return Promise.reject(failure('ENOSPC'))
  return Reflect.apply(usual.writev as typeof methods.writev, this, target)
}
methods.datasync = function () {
  if (isSet('sync')) return Promise.reject(failure('EIO'))
  return Reflect.apply(usual.datasync as typeof methods.datasync, this, [])
}
syncBuiltinESMExports()
