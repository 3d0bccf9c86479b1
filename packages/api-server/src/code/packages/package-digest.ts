/**
 * What a verdict about a package is kept under: a package that is installed again, or edited where it is linked from, gets
 * another digest, and is tried again.
 * @module
 */
import { createHash, type Hash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { CONTRACT } from '@flow-service/connector-sdk'

import { engineVersion } from '../../config.ts'
import type { FoundPackage } from './found-packages.ts'

/**
 * Digest of an installed package: of its `package.json`, and of names, sizes and times of its files, as reading them all would
 * take longer than importing what is needed of them. A package that is linked from where somebody works on it is read.
 */
export function digestOf({ folder, version }: Pick<FoundPackage, 'folder' | 'version'>): string {
  const isInstalled = folder.includes(`${path.sep}node_modules${path.sep}`)
  const digest = createHash('sha256')
  digest.update(JSON.stringify([version, CONTRACT, engineVersion, process.version, process.arch]))
  digest.update(fs.readFileSync(path.join(folder, 'package.json')))
  addFolder(digest, folder, '', isInstalled ? addFacts : addContent)
  return digest.digest('hex')
}

type Add = (digest: Hash, file: string) => void

const addFacts: Add = (digest, file) => {
  const { size, mtimeMs } = fs.statSync(file)
  digest.update(`${size} ${mtimeMs}\n`)
}

const addContent: Add = (digest, file) => void digest.update(fs.readFileSync(file))

function addFolder(digest: Hash, folder: string, below: string, add: Add): void {
  const entries = fs.readdirSync(folder, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const [full, name] = [path.join(folder, entry.name), `${below}/${entry.name}`]
    if (entry.isDirectory() && !skipped.test(entry.name)) addFolder(digest, full, name, add)
    else if (entry.isFile()) {
      digest.update(`${name}\n`)
      add(digest, full)
    }
  }
}

const skipped = /^(?:\..*|node_modules)$/
