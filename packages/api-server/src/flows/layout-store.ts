/**
 * SQL of the table `flow_layout`: where the nodes of flows are drawn. It is beside the rows of flows, so that nobody takes
 * a saved layout for a change of the flow.
 * @module
 */
import type { Layout } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'

/** Statements on layouts, on the database or in a transaction. */
export const createLayoutStore = (sql: Sql) => ({
  /** The layout of a flow, by its id; one without places when none was saved. */
  async of(flow: string): Promise<Layout> {
    const [row] = await sql<{ layout: Layout }[]>`select layout from flow_layout where flow = ${flow}`
    return row?.layout ?? { nodes: {} }
  },

  /** In place of the one before; false when the flow is gone. */
  async save(flow: string, layout: Layout): Promise<boolean> {
    const saved = await sql`
      insert into flow_layout (flow, layout)
      select id, ${JSON.stringify(layout)}::json from flow where id = ${flow} for key share
      on conflict (flow) do update set layout = excluded.layout returning flow`
    return saved.length > 0
  },

  /** Gives a flow, which has none yet, the layout of another one. */
  async copy(names: { readonly from: string; readonly to: string }): Promise<void> {
    await sql`
      insert into flow_layout (flow, layout) select ${names.to}::uuid, layout from flow_layout where flow = ${names.from}`
  },
})

/** A layout without places of nodes that none of these contents has. */
export function fittingLayout(layout: Layout, contents: readonly unknown[]): Layout {
  const ids = new Set(contents.flatMap(nodeIds))
  return { ...layout, nodes: Object.fromEntries(Object.entries(layout.nodes).filter(([id]) => ids.has(id))) }
}

function nodeIds(content: unknown): string[] {
  if (typeof content !== 'object' || content === null || !('nodes' in content)) return []
  if (!Array.isArray(content.nodes)) return []
  return content.nodes.flatMap((node: unknown) =>
    typeof node === 'object' && node !== null && 'id' in node && typeof node.id === 'string' ? [node.id] : [],
  )
}
