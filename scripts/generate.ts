/**
 * Writes the files that come from code: the lists of node types, openapi.json, the generated client, the options of
 * `createService` that are settings, the JSON Schemas of the flow document and of provisioners.json. `--check` writes nothing and fails when a committed file is stale.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { flowDocumentInputSchema, provisionersFileSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { type ApiDocument, clientFacade } from './client-facade.ts'
import { nodeTypeLists } from './node-type-registry.ts'
import { settingOptions } from './setting-options.ts'

const OPENAPI = 'packages/api-server/openapi.json'
const SCHEMAS = {
  'packages/protocol/flow-document.schema.json': flowDocumentInputSchema,
  'packages/protocol/provisioners.schema.json': provisionersFileSchema,
}
const CLIENT = 'packages/client-sdk/src/generated'
const check = process.argv.includes('--check')
const stale: string[] = []

/** Writes a file, or notes that the committed one differs. */
function put(path: string, text: string): void {
  if (!check) writeFileSync(path, text)
  else if (read(path) !== text) stale.push(path)
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

type Schema = { readonly $ref?: string; readonly anyOf?: readonly object[] }
type Operation = { requestBody?: { content: Record<string, { schema: Schema }> } }

/**
 * The document as the client generator wants it: members of a body become arguments of the method only where the body's
 * schema stands in place. A flow document stays one argument: it has a `name` of its own.
 */
function withBodiesInPlace(document: object): object {
  const copy = structuredClone(document) as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Schema> }
  }
  for (const operation of Object.values(copy.paths).flatMap((path) => Object.values(path))) {
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      const name = media.schema.$ref?.split('/').at(-1) ?? 'FlowDocument'
      if (name !== 'FlowDocument') media.schema = copy.components.schemas[name] ?? media.schema
    }
  }
  copy.components.schemas['JsonValue'] = anyJson
  return copy
}

/** In TypeScript it may refer to itself. */
const itself = { $ref: '#/components/schemas/JsonValue' }
const anyJson = {
  description: 'Any JSON.',
  anyOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array', items: itself },
    { type: 'object', additionalProperties: itself },
  ],
}

/** Generates the client into a directory of its own. */
function generateClient(document: ApiDocument): string {
  const out = mkdtempSync(join(tmpdir(), 'client-'))
  const input = join(mkdtempSync(join(tmpdir(), 'openapi-')), 'openapi.json')
  writeFileSync(input, JSON.stringify(withBodiesInPlace(document)))
  const done = spawnSync('node', ['node_modules/@hey-api/openapi-ts/bin/run.js', '--silent'], {
    cwd: 'packages/client-sdk',
    env: { ...process.env, CLIENT_INPUT: input, CLIENT_OUTPUT: out },
    encoding: 'utf8',
  })
  rmSync(dirname(input), { recursive: true })
  if (done.status !== 0) throw new Error(`the client generator failed:\n${done.stdout}\n${done.stderr}`)
  writeFileSync(join(out, 'facade.gen.ts'), clientFacade(document))
  return out
}

/** Ends the process when a committed file is stale. */
function refuseStale(): void {
  if (stale.length === 0) return
  console.error(`stale, run \`npm run generate\` and commit: ${stale.join(', ')}`)
  process.exit(1)
}

for (const [path, text] of Object.entries(nodeTypeLists())) put(path, text)
refuseStale()
// the server imports those lists, and a stale one may name a type that is gone
const { apiDocument, settings } = await import('@flow-service/api-server')
const document = apiDocument()
put('packages/api-server/src/setting-options.ts', settingOptions(settings))
put(OPENAPI, `${JSON.stringify(document, null, 2)}\n`)
for (const [path, schema] of Object.entries(SCHEMAS)) {
  put(path, `${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n`)
}

const made = generateClient(document as unknown as ApiDocument)
const names = (dir: string) => globSync('**/*.ts', { cwd: dir }).toSorted()
if (check) {
  const [fresh, committed] = [names(made), names(CLIENT)]
  if (fresh.join() !== committed.join()) stale.push(CLIENT)
  for (const name of fresh) if (read(join(CLIENT, name)) !== read(join(made, name))) stale.push(join(CLIENT, name))
} else {
  rmSync(CLIENT, { recursive: true, force: true })
  cpSync(made, CLIENT, { recursive: true })
}
rmSync(made, { recursive: true, force: true })
refuseStale()
console.log(check ? 'generated files are current' : 'generated files written')
