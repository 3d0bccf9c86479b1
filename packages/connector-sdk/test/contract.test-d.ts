/**
 * The contract of node types against what it was when it got its number: the declarations of `contract-1/`, which are
 * never changed, only added to. What fails here breaks node types of others, and takes a new number.
 */
import type * as protocol from '@flow-service/protocol'
import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'

import * as now from '../src/index.ts'
import { type AnyNodeDefinition, defineNode } from '../src/index.ts'
import type * as connector from './contract-1/connector.ts'
import type * as then from './contract-1/index.ts'
import type * as words from './contract-1/words.ts'

/**
 * Methods as functions, at every depth: parameters of methods are compared in either direction otherwise, so that one
 * that takes less than it did would pass.
 */
type Strict<T> = T extends (...args: infer A) => infer R
  ? (...args: { [I in keyof A]: Strict<A[I]> }) => Strict<R>
  : T extends Promise<infer V>
    ? Promise<Strict<V>>
    : T extends Error | AbortSignal | Uint8Array | NodeJS.ReadableStream | z.ZodType
      ? T
      : T extends object
        ? { [K in keyof T]: Strict<T[K]> }
        : T

const settings = z.strictObject({ limit: z.number(), note: z.string().optional() })
type Settings = typeof settings

test('a node gets all that contract 1 has promised [R346]', () => {
  expectTypeOf<Strict<now.NodeContext>>().toExtend<Strict<then.NodeContext>>()
  expectTypeOf<Strict<now.NodeContext<z.output<Settings>>>>().toExtend<Strict<then.NodeContext<z.output<Settings>>>>()
  expectTypeOf<Strict<now.NodeShape>>().toExtend<Strict<then.NodeShape>>()
  expectTypeOf<Strict<now.NodePort>>().toExtend<Strict<then.NodePort>>()
  expectTypeOf<Strict<now.HookRequest>>().toExtend<Strict<then.HookRequest>>()
  expectTypeOf<Strict<now.SocketPeer>>().toExtend<Strict<then.SocketPeer>>()
  expectTypeOf<Strict<now.Files>>().toExtend<Strict<then.Files>>()
  expectTypeOf<Strict<now.ConnectorStore>>().toExtend<Strict<then.ConnectorStore>>()
  expectTypeOf<Strict<now.CommandEnd>>().toExtend<Strict<then.CommandEnd>>()
  expectTypeOf<Strict<now.Cancel>>().toExtend<Strict<then.Cancel>>()
})

/** Every dtype, each on a port of its name. */
const ports = {
  any: 'any',
  float: 'float',
  int: 'int',
  str: 'str',
  bool: 'bool',
  object: 'object',
  array: 'array',
  image: 'image',
  media: 'media',
  artifact: 'artifact',
} as const
const params = now.ConnectorParams.extend({ token: now.secret(), host: z.string() })
type Any = now.Connector<typeof params, { inputs: typeof ports; outputs: typeof ports }>
type Config = { poll_interval: number; token: string; host: string }

test('a connector gets and gives all that contract 1 has promised [R346]', () => {
  expectTypeOf<Any>().toExtend<connector.ConnectorInstance<Config, connector.Values, connector.Values>>()
  expectTypeOf<typeof now.Connector>().toExtend<connector.ConnectorStatics>()
  expectTypeOf<z.input<typeof params>>().toEqualTypeOf<{
    poll_interval?: number | undefined
    token: string | connector.SecretRef
    host: string
  }>()
  expectTypeOf(now.nodeTypeOf).toExtend<(type: string, exported: unknown) => AnyNodeDefinition>()
})

test('what a node of contract 1 gives is taken [R346]', () => {
  expectTypeOf<Strict<then.NodeDefinition>>().toExtend<Strict<now.NodeDefinition>>()
  expectTypeOf<Strict<then.NodeDefinition<Settings>>>().toExtend<Strict<now.NodeDefinition<Settings>>>()
  expectTypeOf<Strict<then.AnyNodeDefinition>>().toExtend<Strict<now.AnyNodeDefinition>>()
  expectTypeOf<Strict<then.NodeInstance>>().toExtend<Strict<now.NodeInstance>>()
  expectTypeOf<Strict<then.NodeFinding>>().toExtend<Strict<now.NodeFinding>>()
  expectTypeOf<Strict<then.PortRules>>().toExtend<Strict<now.PortRules>>()
  expectTypeOf<Strict<then.Outcome>>().toExtend<Strict<now.Outcome>>()
  expectTypeOf<Strict<then.Values>>().toExtend<Strict<now.Values>>()
  expectTypeOf<Strict<then.SocketListener>>().toExtend<Strict<now.SocketListener>>()
  expectTypeOf<Strict<then.SocketRoute>>().toExtend<Strict<now.SocketRoute>>()
  expectTypeOf<Strict<then.RouteHandler>>().toExtend<Strict<now.RouteHandler>>()
  expectTypeOf<Strict<then.RouteOptions>>().toExtend<Strict<now.RouteOptions>>()
  expectTypeOf<Strict<then.HookRoute>>().toExtend<Strict<now.HookRoute>>()
  expectTypeOf<Strict<then.ConnectTarget>>().toExtend<Strict<now.ConnectTarget>>()
  expectTypeOf<Strict<then.CertificatePin>>().toExtend<Strict<now.CertificatePin>>()
  expectTypeOf<Strict<then.ConnectorStore>>().toExtend<Strict<now.ConnectorStore>>()
  expectTypeOf<then.FetchInit>().toExtend<now.FetchInit>()
  expectTypeOf<Strict<then.Command>>().toExtend<Strict<now.Command>>()
  expectTypeOf<Strict<then.SaveOptions>>().toExtend<Strict<now.SaveOptions>>()
  expectTypeOf(defineNode({} as then.NodeDefinition<Settings>)).toEqualTypeOf<AnyNodeDefinition>()
})

test('every value that contract 1 exports is there, can be used as it was, and the number is 1 [R346]', () => {
  expectTypeOf<keyof typeof then>().toExtend<keyof typeof now>()
  // what `defineNode` answers is given back to the engine, so that it is compared the other way, above
  expectTypeOf<Strict<Omit<typeof now, 'defineNode'>>>().toExtend<Strict<Omit<typeof then, 'defineNode'>>>()
  expectTypeOf<typeof now.CONTRACT>().toEqualTypeOf<1>()
  // classes: what they make, and what they are made from
  expectTypeOf<now.FileError>().toExtend<then.FileError>()
  expectTypeOf<now.HookRefusal>().toExtend<then.HookRefusal>()
  expectTypeOf<now.DtypeViolation>().toExtend<then.DtypeViolation>()
  expectTypeOf<now.PinError>().toExtend<then.PinError>()
  expectTypeOf<now.StoreLimitError>().toExtend<then.StoreLimitError>()
  expectTypeOf<ConstructorParameters<typeof then.FileError>>().toExtend<ConstructorParameters<typeof now.FileError>>()
  expectTypeOf<ConstructorParameters<typeof then.PinError>>().toExtend<ConstructorParameters<typeof now.PinError>>()
  expectTypeOf<ConstructorParameters<typeof then.StoreLimitError>>().toExtend<
    ConstructorParameters<typeof now.StoreLimitError>
  >()
  expectTypeOf<ConstructorParameters<typeof then.HookRefusal>>().toExtend<
    ConstructorParameters<typeof now.HookRefusal>
  >()
  expectTypeOf<ConstructorParameters<typeof then.DtypeViolation>>().toExtend<
    ConstructorParameters<typeof now.DtypeViolation>
  >()
})

test('the words of contract 1 that node types use still mean something [R346]', () => {
  expectTypeOf<words.FlowMode>().toExtend<protocol.FlowMode>()
  expectTypeOf<words.Health>().toExtend<protocol.Health>()
  expectTypeOf<words.Dtype>().toExtend<protocol.Dtype>()
  expectTypeOf<words.NodeCategory>().toExtend<protocol.NodeCategory>()
  expectTypeOf<words.IssueCode>().toExtend<protocol.IssueCode>()
  expectTypeOf<protocol.ArtifactRef>().toExtend<words.ArtifactRef>()
})

/** What the rules above have to tell apart. */
interface Changed {
  readonly lostMethod: Omit<now.NodeContext, 'clearTimer'>
  readonly narrowMethod: Omit<now.NodeContext, 'log'> & { log(message: 'ready'): void }
  readonly poorRequest: Omit<now.NodeContext, 'webhook'> & {
    webhook(route: now.HookRoute, handler: (request: Omit<now.HookRequest, 'query'>) => void): void
  }
  readonly demandingCommand: Omit<now.NodeContext, 'spawn'> & {
    spawn(command: now.Command & { readonly user: string }): Promise<now.CommandEnd>
  }
  readonly moreContext: now.NodeContext & { readonly more: number; another(): void }
  readonly moreOfAMethod: Omit<now.NodeContext, 'send'> & { send(port: string, value: unknown, atMs?: number): void }
  readonly demandingType: now.NodeDefinition & { readonly superuser: boolean }
  readonly moreType: now.NodeDefinition & { readonly icon?: string; more?(text: string): void }
  readonly moreOfAHandler: Omit<now.NodeInstance, 'onValue'> & {
    onValue?(port: string, value: unknown, atMs: number): now.Outcome
  }
  readonly otherHandler: Omit<now.NodeInstance, 'onValue'> & { onValue?(value: number): now.Outcome }
}

test('a change that breaks a node type is seen, an addition is let through [R346]', () => {
  // @ts-expect-error a method is gone
  expectTypeOf<Strict<Changed['lostMethod']>>().toExtend<Strict<then.NodeContext>>()
  // @ts-expect-error a method takes less
  expectTypeOf<Strict<Changed['narrowMethod']>>().toExtend<Strict<then.NodeContext>>()
  // @ts-expect-error a callback is told less
  expectTypeOf<Strict<Changed['poorRequest']>>().toExtend<Strict<then.NodeContext>>()
  // @ts-expect-error a method asks for more
  expectTypeOf<Strict<Changed['demandingCommand']>>().toExtend<Strict<then.NodeContext>>()
  // @ts-expect-error a type has to say more
  expectTypeOf<Strict<then.NodeDefinition>>().toExtend<Strict<Changed['demandingType']>>()
  // @ts-expect-error a handler is called in another way
  expectTypeOf<Strict<then.NodeInstance>>().toExtend<Strict<Changed['otherHandler']>>()

  expectTypeOf<Strict<Changed['moreContext']>>().toExtend<Strict<then.NodeContext>>()
  expectTypeOf<Strict<Changed['moreOfAMethod']>>().toExtend<Strict<then.NodeContext>>()
  expectTypeOf<Strict<then.NodeDefinition>>().toExtend<Strict<Changed['moreType']>>()
  expectTypeOf<Strict<then.NodeInstance>>().toExtend<Strict<Changed['moreOfAHandler']>>()
})
