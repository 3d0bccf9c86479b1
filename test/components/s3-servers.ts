/**
 * S3-compatible stores for tests, each on a free port of 127.0.0.1 with an empty bucket: s3rver, which checks signatures and
 * knows no checksums, and moto, which checks none and knows checksums. Both are emulators, not stores that anybody uses.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'

import { pythonWith } from './python-packages.ts'

const require = createRequire(import.meta.url)

/** A running store. */
export interface S3Server extends AsyncDisposable {
  readonly port: number
  /** Makes an object as old as this many milliseconds; null where objects have no age that can be changed. */
  readonly age: ((key: string, ms: number) => Promise<void>) | null
  /** Whether it gives more than 1,000 keys: s3rver seals what comes next by DES, which this Node.js has not. */
  readonly pages: boolean
}

/** The name of the bucket, and who may use it. */
export const bucket = 'artifacts'
export const credentials = { awsAccessKeyId: 'S3RVER', awsSecretAccessKey: 'S3RVER' }

/** Where the bucket is, as the setting has it; another origin than that of the store is one before it. */
export const urlOf = (port: number, prefix = 'of/tests'): string =>
  `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}&region=eu-central-1`

/** The stores that this machine can run, by their names. */
export const s3Servers: readonly { readonly name: string; readonly start: () => Promise<S3Server> }[] = [
  { name: 's3rver', start: startS3rver },
  ...(findPython() === null ? [] : [{ name: 'moto', start: startMoto }]),
]

function findPython(): string | null {
  return pythonWith('moto.server', 'flask_cors')
}

/** What is used of s3rver, which has no types. */
interface S3rver {
  new (options: object): {
    readonly middleware: ((context: RequestContext, next: () => Promise<void>) => Promise<void>)[]
    run(): Promise<{ port: number }>
    close(): Promise<void>
  }
}
interface RequestContext {
  readonly path: string
  readonly state: { vhost: boolean }
  mountPath?: string
}

/** It compares signatures of `/bucket/` as if that were `/bucket`, unless it believes that the bucket is the host. */
async function signedWithSlash(context: RequestContext, next: () => Promise<void>): Promise<void> {
  if (context.path === `/${bucket}/`) {
    context.state.vhost = true
    context.mountPath = '/'
  }
  await next()
}

async function startS3rver(): Promise<S3Server> {
  const directory = await mkdtemp(path.join(tmpdir(), 's3rver-'))
  const S3rver = require('@20minutes/s3rver') as S3rver
  const configureBuckets = [{ name: bucket, configs: [] }]
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets })
  server.middleware.splice(-1, 0, signedWithSlash)
  const { port } = await server.run()
  return {
    port,
    pages: false,
    async age(key, ms) {
      const at = new Date(Date.now() - ms)
      await utimes(path.join(directory, bucket, `${key}._S3rver_object`), at, at)
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function startMoto(): Promise<S3Server> {
  const child = spawn(findPython() ?? '', [path.join(import.meta.dirname, 'moto-server.py')], { stdio: 'pipe' })
  const exited = once(child, 'exit')
  let noise = ''
  child.stderr.on('data', (chunk: Buffer) => (noise = (noise + chunk.toString()).slice(-4000)))
  const told = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited.then(() => null)])
  if (told === null) throw new Error(`moto ended before it listened: ${noise}`)
  const { port } = JSON.parse(String(told[0])) as { port: number }
  const made = await fetch(`http://127.0.0.1:${port}/${bucket}`, { method: 'PUT' })
  if (!made.ok) throw new Error(`moto made no bucket: ${await made.text()}`)
  return {
    port,
    age: null,
    pages: true,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
