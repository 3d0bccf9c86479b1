/** For each type: nodes that have been busy, settings and ports that they do not take, and its typed constructor. */
import { readdirSync } from 'node:fs'

import type { PortRef, Use } from '@flow-service/flow-sdk'
import { nodeTypes } from '@flow-service/node-types'

import type { Setup } from './test-kit.ts'

type Settings = NonNullable<Setup['settings']>

/** A node of one type, in one of its roles. */
export interface Sample {
  readonly setup: Setup
  /** Settings, and what is said about them: the setting, its value, what to do. */
  readonly bad: readonly (readonly [Settings, string])[]
  /** Ports or settings that the type's own check refuses, by the code of the finding. */
  readonly misfits: readonly (readonly [Setup, string])[]
  /** Answer of a peer, or of code, that is off the dtype of the outputs. */
  readonly offDtype?: unknown
  /** Answer that fits. */
  readonly answer?: unknown
}

/** What a file of `samples`, named like its type, exports under this name. */
export interface Samples {
  /** The first is the usual one. */
  readonly roles: readonly Sample[]
  /** Settings that hold a credential. */
  readonly credentials?: readonly string[]
  /** The typed constructor, and its use in a flow with nothing given that has a default; types of written code have none. */
  readonly typed?: { readonly by: unknown; readonly place: (x: PortRef<number, 'float'>, use: Use) => void }
}

const files = readdirSync(new URL('samples', import.meta.url)).map((file) => file.replace('.ts', ''))
const without = nodeTypes.filter(({ type }) => !files.includes(type)).map(({ type }) => `test/samples/${type}.ts`)
if (without.length > 0) throw new Error(`every type has samples; write ${without.join(', ')}`)

/** Samples by type. */
export const samples: Readonly<Record<string, Samples>> = Object.fromEntries(
  await Promise.all(files.map(async (type) => [type, await samplesOf(type)] as const)),
)

async function samplesOf(type: string): Promise<Samples> {
  const module = (await import(`./samples/${type}.ts`)) as { readonly samples: Samples }
  return module.samples
}
