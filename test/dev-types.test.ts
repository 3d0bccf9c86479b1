/** `service dev --check`: types are right before a swap. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Client, createClient } from '@flow-service/client-sdk'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { begin, runService } from './cli-process.ts'

const repository = join(import.meta.dirname, '..')
const root = mkdtempSync(join(tmpdir(), 'dev-types-'))
const write = (file: string, text: string): void => {
  mkdirSync(join(root, file, '..'), { recursive: true })
  writeFileSync(join(root, file), text)
}
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

/** A stage that multiplies by `factor`, a number as far as the types go. */
const flow = (factor: string): string => `// @ts-ignore -- where the repository is not built, its packages have no types
import { batchFlow, input, stage, t } from '@flow-service/flow-sdk'
const factor: number = ${factor}
export const times = stage('times', { in: { n: t.int }, out: { product: t.int }, run: ({ n }) => ({ product: n * factor }) })
export const product = batchFlow('product', { n: input(t.int, 21) }, (p, use) => use(times, p))
`

test('a project without TypeScript is told in one line what to do, and so is a missing folder', async () => {
  write('bare/flows/a.ts', '')
  const bare = await runService(['dev', 'flows', '--check', '--port', '0'], { cwd: join(root, 'bare'), env: {} })
  expect(bare.code).toBe(2)
  expect(bare.err).toBe(
    'error: --check needs the TypeScript of the project of "flows", which has none: npm install --save-dev typescript\n',
  )
  const nowhere = await runService(['dev', '--check'], { cwd: root, env: {} })
  expect(nowhere).toMatchObject({
    code: 2,
    err: 'error: --check needs the folder of flows: service dev flows/ --check\n',
  })
})

// the machine may be busy with other engines
vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

describe('service dev --check', () => {
  let child: ChildProcessWithoutNullStreams
  let client: Client
  let output = ''
  const shown = async (text: RegExp, from = 0): Promise<void> => {
    await vi.waitFor(() => expect(output.slice(from)).toMatch(text), { timeout: 280_000 })
  }
  const result = async (): Promise<unknown> => {
    const { id } = await client.http.runs.submit({ name: 'product' })
    return (await client.wait(id)).result
  }

  beforeAll(async () => {
    write('package.json', '{ "type": "module" }')
    const compilerOptions = { strict: true, noImplicitAny: false, module: 'nodenext', target: 'esnext', types: [] }
    write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['flows'] }))
    mkdirSync(join(root, 'node_modules'))
    for (const [name, from] of [
      ['@flow-service', 'examples/quickstart/node_modules/@flow-service'],
      ['typescript', 'node_modules/typescript'],
    ] as const)
      symlinkSync(join(repository, from), join(root, 'node_modules', name))
    write('flows/product.ts', flow('"2"'))
    child = begin(['dev', 'flows', '--check', '--port', '0', '--data', 'data'], { cwd: root })
    child.stdout.on('data', (text: string) => (output += text))
    child.stderr.on('data', (text: string) => (output += text))
    await shown(/Ctrl-C stops the engine/)
    const signIn = JSON.parse(readFileSync(join(root, 'data/cli.json'), 'utf8')) as Record<string, string>
    client = createClient({ baseUrl: signIn['base_url'] ?? '', token: signIn['access_token'] ?? '' })
  })
  afterAll(async () => {
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    await exit
  })

  test('types are checked at the start, and what has errors is not swapped in: the code before goes on', async () => {
    await shown(
      /^error: flows\/product\.ts:3:7: TS2322: Type 'string' is not assignable to type 'number'\.\n1 type error: what changes is swapped in once they are right$/m,
    )
    expect(await result()).toEqual({ product: 42 })
    write('flows/product.ts', flow('3'))
    await shown(/^types are right again\n↻ product {2}v1 → v2 \(1 stage changed\)$/m)
    expect(await result()).toEqual({ product: 63 })

    let from = output.length
    write('flows/product.ts', `${flow('true')}const more: string = 1\n`)
    await shown(
      /^error: flows\/product\.ts:3:7: TS2322: .*boolean.*\nerror: flows\/product\.ts:6:7: TS2322: .*\n2 type errors: what was loaded goes on$/m,
      from,
    )
    expect(await result()).toEqual({ product: 63 })

    from = output.length
    write('flows/product.ts', `${flow('true')}const more: string = 1\n// saved again\n`)
    await shown(/^2 type errors as before: what was loaded goes on$/m, from)
    expect(output.slice(from)).not.toContain('TS2322')

    from = output.length
    write('flows/product.ts', flow('5'))
    await shown(/^types are right again\n↻ product {2}v2 → v3/m, from)
    expect(await result()).toEqual({ product: 105 })
  })

  test('modules that tsconfig.json leaves out, and settings that are wrong, are told', async () => {
    let from = output.length
    write(
      'tsconfig.json',
      readFileSync(join(root, 'tsconfig.json'), 'utf8').replace('["flows"]', '["flows/product.ts"]'),
    )
    write('flows/other.ts', `export const other = 1\n`)
    await shown(/^tsconfig\.json leaves out 1 module, whose types are not checked: flows\/other\.ts$/m, from)

    from = output.length
    write('tsconfig.json', '{ "compilerOptions": { "strict": "very" } }')
    write('flows/product.ts', flow('6'))
    await shown(/TS\d+: .*'strict'/, from)
    expect(output.slice(from)).not.toContain('v4')
  })
})
