/** Where a new node stands: beside the chosen one, where nothing is yet. */
import type { Node } from '@flow-service/client-sdk'

import { heightOf, type Place, type Places, WIDTH } from './places.ts'

const [BESIDE, BELOW] = [72, 28]

export function placeFor(node: Node, places: Places, nodes: readonly Node[], near: string | null): Place {
  const known = nodes.flatMap((one) => {
    const place = places[one.id]
    return place ? [{ place, height: heightOf(one) }] : []
  })
  const anchor = (near === null ? undefined : places[near]) ?? rightmost(known.map(({ place }) => place))
  if (!anchor) return { x: 0, y: 0 }
  const wanted = { x: anchor.x + WIDTH + BESIDE, y: anchor.y }
  const height = heightOf(node)
  const isTaken = (y: number): { readonly place: Place; readonly height: number } | undefined =>
    known.find(
      ({ place, height: tall }) =>
        Math.abs(place.x - wanted.x) < WIDTH + BESIDE / 2 && place.y < y + height + BELOW && y < place.y + tall + BELOW,
    )
  let { y } = wanted
  for (let other = isTaken(y); other; other = isTaken(y)) y = other.place.y + other.height + BELOW
  return { x: wanted.x, y }
}

const rightmost = (places: readonly Place[]): Place | undefined => places.toSorted((a, b) => b.x - a.x)[0]
