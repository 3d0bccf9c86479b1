/**
 * Where the nodes of a flow are drawn (V22). It is no content: saving it makes no draft and no version.
 * @module
 */
import * as z from 'zod'

import { MAX_LAYOUT_BYTES, MAX_LAYOUT_COORDINATE } from './limits.ts'

const coordinate = z.number().min(-MAX_LAYOUT_COORDINATE).max(MAX_LAYOUT_COORDINATE)

const positionSchema = z
  .strictObject({
    x: coordinate.meta({ description: 'To the right.' }),
    y: coordinate.meta({ description: 'Downwards.' }),
  })
  .meta({ id: 'NodePosition', description: 'In units of whoever draws; x grows to the right, y downwards.' })

const nodes = z.record(z.string(), positionSchema).meta({
  description: 'Places of nodes by their ids. Ids that neither the draft nor the published form has are left out.',
})

const ofClients = 'Further keys belong to whoever draws: zoom, colours, notes.'

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length
const isBounded = (value: unknown): boolean => bytesOf(value) <= MAX_LAYOUT_BYTES
const tooLong = `a layout has at most ${MAX_LAYOUT_BYTES / 1024} KiB of JSON; leave out what is not needed to draw it`

/** Body of `PUT /flows/{name}/layout`. */
export const layoutInputSchema = z
  .object({ nodes })
  .catchall(z.json())
  .refine(isBounded, tooLong)
  .meta({ id: 'LayoutInput', description: ofClients })

/** Where the nodes of a flow are drawn. */
export const layoutSchema = z.object({ nodes }).catchall(z.json()).meta({ id: 'Layout', description: ofClients })
/** Where the nodes of a flow are drawn. */
export type Layout = z.infer<typeof layoutSchema>

/** The layout in the body of a save. An empty one says nothing, and the stored one stays. */
export const documentLayoutSchema = z
  .object({ nodes: nodes.optional() })
  .catchall(z.json())
  .refine(isBounded, tooLong)
  .meta({
    description: 'Places of nodes, as `flows.saveLayout` takes them; an empty one leaves those that are stored.',
  })
