/**
 * Words that point at what was named: "it", "them", "the bedroom one", "the lot", "in there"; and at what was not: "the rest".
 * @module
 */
import { isSomewhere, nowhere, type Part, type Where } from '../parse/parts.ts'
import { hasKind, type Order, type Target } from './order.ts'

/** What was spoken of last, and the place that was named last. */
interface Spoken {
  readonly mention: readonly Target[]
  readonly place: Where | null
}

/** What a pointer points at: "the bedroom one", "it", "them". */
function meantBy(one: Target, where: Where, source: readonly Target[]): readonly Target[] {
  if (one.pointer === 'one') {
    const last = source.findLast(hasKind)
    const place = isSomewhere(where) ? where : (last?.where ?? nowhere)
    return [{ ...one, pointer: last ? null : 'one', kind: last?.kind ?? null, where: place }]
  }
  const meant = one.pointer === 'it' ? source.slice(-1) : source
  return meant.map((other) => ({
    ...other,
    all: other.all || one.all,
    where: isSomewhere(where) ? where : other.where,
  }))
}

/** Whether it is not said of a thing where it is. */
const isOpen = (one: Target | undefined): boolean =>
  one !== undefined && hasKind(one) && !one.all && !isSomewhere(one.where)

/** "the lot", where nothing was named. */
const withAll = (one: Target): Target =>
  one.pointer === 'lot' ? { ...one, pointer: null, everything: true, all: true } : one

/** "put the lamp on and set it to 18": what takes a temperature is the heating there. */
const warmed = (one: Target, order: Order): Target =>
  order.degrees !== null && order.clauses[0]?.link !== 'corr' && isSomewhere(one.where)
    ? { ...one, kind: 'heating' }
    : one

/** Pointers get what they point at. */
export function pointed(order: Order, talk: Spoken): Order {
  let known: Target[] = []
  for (const one of order.targets) {
    const where = one.where.there ? placeOf(talk, known, one.where) : one.where
    const source = known.length > 0 ? known : talk.mention
    // "the kitchen lights as well as those in the study"
    const more = one.pointer === 'them' && isSomewhere(where) && known.every((other) => isSomewhere(other.where))
    const again = known.length > 0 && one.pointer !== null && one.pointer !== 'one' && !more
    // A topic that a pointer takes up again counts once: "the driveway, turn it on".
    if (again) known = isSomewhere(where) ? known.map((other) => ({ ...other, where })) : known
    else if (one.pointer === null || source.length === 0) known.push(withAll({ ...one, where }))
    // "the lights off, the kitchen ones"
    else if (one.pointer === 'one' && isSomewhere(where) && isOpen(known.at(-1)))
      known = known.map((other) => (isOpen(other) ? { ...other, where, all: one.all } : other))
    else
      known.push(
        ...meantBy(more ? { ...one, pointer: 'one' } : one, where, source).map((other) => warmed(other, order)),
      )
  }
  // "make it cooler in here with the radiator": what is pointed at is named behind it.
  const vague = known.find((one) => one.pointer === 'it')
  if (vague && known.some((one) => one.kind !== null))
    return {
      ...order,
      targets: known
        .filter((one) => one !== vague)
        .map((one) => (isSomewhere(one.where) ? one : { ...one, where: vague.where })),
    }
  return { ...order, targets: known }
}

function placeOf({ mention, place }: Spoken, before: readonly Target[], own: Where): Where {
  const known =
    [...before].reverse().find((one) => isSomewhere(one.where) && !one.where.there) ??
    mention.findLast((one) => isSomewhere(one.where))
  return known?.where ?? place ?? { ...own, there: false, here: true }
}

const isRest = (one: Target): boolean => one.where.groups.includes('rest')

const excepted = (one: Target, where: Target['where']): Part => ({
  from: 0,
  to: 0,
  is: 'thing',
  kind: one.kind,
  pointer: null,
  where,
  all: false,
  prep: false,
  det: false,
  title: false,
  plant: false,
  out: true,
  linked: false,
  late: false,
})

/** "Kitchen light on and the rest off": the order without what the sentence has named before; where it has named nothing, without where the speaker is. */
export function withoutNamed(order: Order, named: readonly Target[]): Order {
  const rests = order.targets.filter((one) => isRest(one))
  if (rests.length === 0) return order
  const out = rests.flatMap((rest) => {
    const like = [...named, ...order.targets].filter(
      (one) => one.where.areas.length > 0 && (one.kind === rest.kind || one.kind === null || one.everything),
    )
    return like.length > 0 ? like.map((one) => excepted(rest, one.where)) : [excepted(rest, { ...nowhere, here: true })]
  })
  return { ...order, out: [...order.out, ...out] }
}
