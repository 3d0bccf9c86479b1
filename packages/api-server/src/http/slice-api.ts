/**
 * The endpoints of a slice with what answers them: contracts that can be read without an engine, for OpenAPI, and handlers
 * that are made of the nouns of one. `api.ts` mounts those of all slices.
 * @module
 */
import type * as Context from 'effect/Context'

import { type Complete, type Deps, type NamesOf, type Needs, nounsOf } from '../process/layer.ts'
import type { Contract, Endpoint, Handlers } from './endpoint.ts'
import { bind, type Binding } from './mount.ts'

/** Endpoints and their handlers, which need the nouns of these names. */
export interface Routes<out Names> {
  readonly endpoints: readonly Endpoint[]
  readonly bindings: (engine: Context.Context<Names>) => readonly Binding[]
}

/** What a slice answers, and the sentences of its tags in the reference. */
export interface SliceApi<out Names> {
  readonly tags: Readonly<Record<string, string>>
  readonly routes: readonly Routes<Names>[]
}

/** Endpoints whose handlers are made of nouns. */
export const routes = <C extends Contract, const N extends Needs>(
  contract: C,
  needs: N,
  handlers: (deps: Deps<N>) => NoInfer<Handlers<C>>,
): Routes<NamesOf<N>> => ({
  endpoints: Object.values<Endpoint>(contract),
  bindings: (engine) => bind(contract, handlers(nounsOf(engine, needs))),
})

/** All endpoints of slices, in their order. */
export const endpointsOf = (slices: readonly SliceApi<string>[]): Endpoint[] =>
  slices.flatMap(({ routes }) => routes.flatMap(({ endpoints }) => endpoints))

type NamesIn<S> = S extends SliceApi<infer Names> ? Names : never

/** The endpoints of slices with the handlers of an engine. */
export const bindingsOf = <const S extends readonly SliceApi<string>[], Names>(
  slices: S,
  engine: Context.Context<Names> & Complete<Exclude<NamesIn<S[number]>, Names>>,
): Binding[] =>
  slices.flatMap(({ routes }) =>
    // `Complete` has checked that the engine has what these need
    routes.flatMap(({ bindings }) => bindings(engine as unknown as Context.Context<string>)),
  )
