/** Packages that a test makes, and a server that pip and npm get them from: an index (PEP 503) and a registry. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, gzipSync } from 'node:zlib'

/** A wheel with one module of the package's name. */
export interface Wheel {
  readonly name: string
  readonly version: string
  /** The text of the module. */
  readonly source: string
  readonly requires?: readonly string[]
}

/** An npm package with an `index.js`. */
export interface NpmPackage {
  readonly name: string
  readonly version: string
  readonly source?: string
  readonly manifest?: object
}

/** A served index; what was asked of it, and a gate that holds answers back while it is closed. */
export interface PackageIndex extends AsyncDisposable {
  /** For pip, with a user and a password in it. */
  readonly pipIndexUrl: string
  readonly npmRegistry: string
  readonly asked: string[]
  /** Holds back what is asked for from now on, until the result is called. */
  hold(): () => void
}

/** Serves packages on a free port. */
export async function startIndex(
  wheels: readonly Wheel[],
  packages: readonly NpmPackage[] = [],
): Promise<PackageIndex> {
  const asked: string[] = []
  let gate = Promise.resolve()
  let origin = ''
  const files = new Map(wheels.map((wheel) => [`/files/${fileName(wheel)}`, wheelOf(wheel)]))
  const tarballs = new Map(packages.map((each) => [tarballPath(each), tarballOf(each)]))
  const answerOf = (path: string): Buffer | string | null => {
    const simple = /^\/simple\/([^/]+)\/$/.exec(path)?.[1]
    if (simple !== undefined) {
      const own = wheels.filter(({ name }) => name === simple)
      return own.length === 0
        ? null
        : own.map((each) => `<a href="/files/${fileName(each)}">${fileName(each)}</a>`).join('\n')
    }
    const versions = packages.filter(({ name }) => `/npm/${name}` === decodeURIComponent(path))
    return versions.length > 0 ? packument(versions, origin) : (files.get(path) ?? tarballs.get(path) ?? null)
  }
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    const answer = answerOf(path)
    void gate.then(() => {
      if (answer === null) return response.writeHead(404).end()
      const type = path.startsWith('/simple/')
        ? 'text/html'
        : Buffer.isBuffer(answer)
          ? 'application/octet-stream'
          : 'application/json'
      return response.writeHead(200, { 'content-type': type }).end(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  return {
    pipIndexUrl: `http://reader:pass%20word-of-the-index@127.0.0.1:${port}/simple/`,
    npmRegistry: `${origin}/npm/`,
    asked,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const fileName = ({ name, version }: Wheel): string => `${name}-${version}-py3-none-any.whl`

function wheelOf({ name, version, source, requires = [] }: Wheel): Buffer {
  const info = `${name}-${version}.dist-info`
  const needs = requires.map((each) => `Requires-Dist: ${each}\n`).join('')
  return zipOf({
    [`${name}.py`]: source,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${needs}`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: '',
  })
}

/** A ZIP archive of files that are stored as they are. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x5821, 8)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, Buffer.from(name), data])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(0o100644 * 0x10000, 6)
    tail.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0003', 'latin1'), common, tail, Buffer.from(name)]),
    )
    parts.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listed, end])
}

const tarballPath = ({ name, version }: NpmPackage): string => `/npm/-/${name.replace('/', '+')}-${version}.tgz`

function packument(versions: readonly NpmPackage[], origin: string): string {
  const listed = versions.map((each) => {
    const integrity = `sha512-${createHash('sha512').update(tarballOf(each)).digest('base64')}`
    const dist = { tarball: `${origin}${tarballPath(each)}`, integrity }
    return [each.version, { ...manifestOf(each), dist }]
  })
  return JSON.stringify({
    name: versions[0]?.name,
    'dist-tags': { latest: versions.at(-1)?.version },
    versions: Object.fromEntries(listed),
  })
}

const manifestOf = ({ name, version, manifest }: NpmPackage) => ({
  name,
  version,
  type: 'module',
  main: 'index.js',
  ...manifest,
})

function tarballOf(each: NpmPackage): Buffer {
  const files = {
    'package/package.json': JSON.stringify(manifestOf(each)),
    'package/index.js': each.source ?? 'export default 1\n',
  }
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const data = Buffer.from(text)
    const header = Buffer.alloc(512)
    header.write(name)
    header.write('0000644\0', 100)
    header.write('0000000\0', 108)
    header.write('0000000\0', 116)
    header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write('        ', 148)
    header.write('0', 156)
    header.write('ustar\u000000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}
