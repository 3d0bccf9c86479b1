/**
 * The two lists of built-in node types, made from the folders of `packages/node-types/src/types`.
 *
 * A type is a folder with a `node.ts`, which exports `<folder>Node` in camelCase, made by `defineNode` or by a `create…Node`
 * of its own. A `flow.ts` beside it
 * holds its typed constructors; it is a file of its own because flows are written without the implementation of a type.
 * @module
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const TYPES = 'packages/node-types/src/types'
const LISTS = 'packages/node-types/src/generated'
const note = (file: string): string => `// Written by \`npm run generate\` from src/types/*/${file}.\n`

/** Text by path of the lists. Throws when a folder holds no type. */
export function nodeTypeLists(): Readonly<Record<string, string>> {
  const types = globSync('*/', { cwd: TYPES }).toSorted()
  return {
    [`${LISTS}/node-types.ts`]: definitionsOf(types),
    [`${LISTS}/constructors.ts`]: constructorsOf(types),
  }
}

function definitionsOf(types: readonly string[]): string {
  const names = types.map((type) => definitionIn(type))
  const imports = types.map((type, at) => `import { ${names[at]} } from '../types/${type}/node.ts'`)
  const list = names.map((name) => `  ${name},`).join('\n')
  return [
    `${note('node.ts')}import type { AnyNodeDefinition } from '@flow-service/connector-sdk'\n`,
    `${imports.join('\n')}\n`,
    `export {\n${list}\n}\n`,
    `/** Every built-in node type, by name. */\nexport const nodeTypes: readonly AnyNodeDefinition[] = [\n${list}\n]\n`,
  ].join('\n')
}

function constructorsOf(types: readonly string[]): string {
  const typed = types.filter((type) => existsSync(join(TYPES, type, 'flow.ts')))
  return `${note('flow.ts')}${typed.map((type) => `export * from '../types/${type}/flow.ts'\n`).join('')}`
}

/** The name under which a folder exports its type. */
function definitionIn(type: string): string {
  const file = join(TYPES, type, 'node.ts')
  const name = `${type.replaceAll(/[-_](\w)/g, (_, first: string) => first.toUpperCase())}Node`
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (new RegExp(`^export const ${name} = (defineNode|create\\w+Node)\\(`, 'm').test(text)) return name
  throw new Error(`${file} has to hold \`export const ${name} = defineNode({ … })\`: a folder there is a node type`)
}
