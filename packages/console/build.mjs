// Builds the console into dist/, each file of some size beside its compressed forms, which the engine serves as they are, and
// into dist/elements/ the elements for pages of others, in one file.
// `npm start` and `npm test` run it when a source has changed: dist/.stamp says which sources it was made from.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('.', import.meta.url))
const dist = join(root, 'dist')
const stampFile = join(dist, '.stamp')

/** Changes with every source of the console, and with what it takes of other packages. */
function stamp() {
  const hash = createHash('sha256')
  for (const place of ['src', 'public'])
    for (const entry of readdirSync(join(root, place), { recursive: true, withFileTypes: true }).toSorted(byName))
      if (entry.isFile()) hash.update(entry.name).update(readFileSync(join(entry.parentPath, entry.name)))
  for (const file of [
    'build.mjs',
    'index.html',
    'package.json',
    'vite.config.mjs',
    'vite.elements.mjs',
    '../protocol/src/words.ts',
  ])
    hash.update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function byName(a, b) {
  return join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1
}

function compress() {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !/\.(?:css|html|js|svg)$/.test(entry.name)) continue
    const bytes = readFileSync(file)
    if (bytes.length < 1024) continue
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
  }
}

const wanted = stamp()
if (process.argv.includes('--force') || !existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== wanted) {
  const { build } = await import('vite')
  rmSync(dist, { recursive: true, force: true })
  for (const config of ['vite.config.mjs', 'vite.elements.mjs'])
    await build({ root, configFile: join(root, config), logLevel: 'warn' })
  compress()
  writeFileSync(stampFile, wanted)
}
