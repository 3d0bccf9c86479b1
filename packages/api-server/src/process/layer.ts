/**
 * Slices as Effect layers: nouns by name, layers that make them of other nouns, and steps that begin their work. Every
 * `slice.ts` is written with these, and `compose.ts` puts the slices in order. Without them each slice would say in a way of
 * its own which nouns it needs, and one that nobody makes would be noticed at run time only.
 *
 * - layer.L1 a layer makes: it reads, connects and allocates, and follows the news of what it has read. Whatever acts on
 *   flows, runs and rows (recover, register, restore, claim, sweep) is a step.
 * - layer.L2 layers open one after the other, then steps, and all of it closes in reverse order; one that fails to close
 *   keeps no other open.
 * - layer.L3 the name of a noun is its type among needs: the compiler names the noun that is missing.
 * @module
 */
import * as Context from 'effect/Context'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import type * as Scope from 'effect/Scope'

// oxlint-disable typescript/no-explicit-any -- nouns and layers are invariant in their names and shapes

/** Any noun of an engine. */
type AnyNoun = Context.Service<any, any>

/** Nouns by the names under which a constructor takes them. */
export type Needs = Readonly<Record<string, AnyNoun>>

/** Names of the nouns that are needed. */
export type NamesOf<N extends Needs> = { [K in keyof N]: N[K]['Identifier'] }[keyof N]

/** The nouns themselves, as a constructor takes them. */
export type Deps<N extends Needs> = { readonly [K in keyof N]: N[K]['Service'] }

/** Any layer that may stand in a list. */
type AnyLayer = Layer.Layer<any, never, any>
type MadeBy<L> = L extends Layer.Layer<infer Made, never, infer _> ? Made : never
type NeededBy<L> = L extends Layer.Layer<infer _, never, infer Needed> ? Needed : never

/** Names that layers need and that no layer before them makes. */
type Lacking<L extends readonly AnyLayer[], Made = never, Lacked = never> = L extends readonly [
  infer First,
  ...infer Rest extends readonly AnyLayer[],
]
  ? Lacking<Rest, Made | MadeBy<First>, Lacked | Exclude<NeededBy<First>, Made>>
  : Lacked

// oxlint-enable typescript/no-explicit-any

/**
 * What a value must be beside its own type while names are lacking, which nothing is: the compiler then says in two lines
 * which nouns nobody makes.
 */
export type Complete<Lacked> = [Lacked] extends [never] ? unknown : { readonly nobodyMakes: Lacked }

/** A noun of an engine; its name is unique: `const secrets = noun<Secrets>()('secrets')`. */
export const noun =
  <Shape>() =>
  <const Name extends string>(name: Name): Context.Service<Name, Shape> =>
    Context.Service<Name, Shape>(name)

/** A layer that makes a noun of those that it needs. Rejections of `make` reach who opens the engine as they are. */
export const makes = <const Name, Shape, const N extends Needs>(
  made: Context.Service<Name, Shape>,
  needs: N,
  make: (deps: Deps<N>) => NoInfer<Shape> | Promise<NoInfer<Shape>>,
  close?: (made: Shape) => unknown,
): Layer.Layer<Name, never, NamesOf<N>> =>
  Layer.effect(made, begins(needs, make, close)) as Layer.Layer<Name, never, NamesOf<N>>

/** Several layers as one that opens them in this order, each with the nouns of those before it. */
export function inOrder<const L extends readonly [AnyLayer, ...AnyLayer[]]>(
  ...layers: L
): Layer.Layer<MadeBy<L[number]>, never, Lacking<L>> {
  const [first, ...rest] = layers
  return rest.reduce((before: AnyLayer, next) => Layer.provideMerge(next, before), first)
}

/** A step that begins work; `end` gets what `begin` gave, once all that began later has ended. */
export const begins = <const N extends Needs, T>(
  needs: N,
  begin: (deps: Deps<N>) => T | Promise<T>,
  end: (begun: T) => unknown = () => {},
): Effect.Effect<T, never, NamesOf<N> | Scope.Scope> =>
  Effect.contextWith((made: Context.Context<NamesOf<N>>) => resource(() => begin(nounsOf(made, needs)), end))

/** Something open in the scope of the caller; that it fails to close keeps nothing else open. */
export const resource = <T>(
  open: () => T | Promise<T>,
  close: (opened: T) => unknown,
): Effect.Effect<T, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => open()),
    (opened) => Effect.promise(async () => close(opened)).pipe(Effect.ignoreCause),
  )

/** Nouns of an engine as an object. */
export const nounsOf = <const N extends Needs, Names>(
  engine: Context.Context<Names> & Complete<Exclude<NamesOf<N>, Names>>,
  needs: N,
): Deps<N> =>
  Object.fromEntries(Object.entries(needs).map(([name, key]) => [name, Context.getUnsafe(engine, key)])) as Deps<N>

/** The context of nouns that are there already. */
export const contextOf = <const N extends Needs>(nouns: N, deps: Deps<N>): Context.Context<NamesOf<N>> =>
  Object.entries(nouns).reduce(
    (context, [name, key]) => Context.add(context, key, deps[name]),
    Context.empty() as Context.Context<NamesOf<N>>,
  )

/**
 * Opens layers on nouns that are given, then begins steps in their order; all of it ends with the scope of the caller. What
 * fails on the way rejects as it is, and whatever was open by then is closed.
 */
export const opens = <Given, Made, Needed, Begun = never>(
  given: Context.Context<Given>,
  nouns: Layer.Layer<Made, never, Needed> & Complete<Exclude<Needed, Given>>,
  steps: readonly Effect.Effect<unknown, never, Begun>[] & Complete<Exclude<Begun, Given | Made | Scope.Scope>>,
): Effect.Effect<Context.Context<Given | Made | Needed>, never, Scope.Scope> =>
  Effect.gen(function* () {
    // `Complete` has checked what both need
    const layer = nouns as Layer.Layer<Made | Needed, never, Given>
    const begun = steps as readonly Effect.Effect<unknown, never, Given | Made | Needed | Scope.Scope>[]
    const engine = Context.merge(given, yield* Effect.provideContext(Layer.build(layer), given))
    for (const step of begun) yield* Effect.provideContext(step, engine)
    return engine
  })
