/**
 * Flows in stored contents of dashboards, and how those follow a flow to another name (wire decision G21). Whatever of a
 * dashboard names a flow is known here alone.
 * @module
 */
import type { NewName } from '@flow-service/core'
import type { ChartSource, DashboardCreate } from '@flow-service/protocol'

/** The same with messages, curves and runs of `from` as those of `to`; the very same one when it names none. */
export function renameFlow(shown: DashboardCreate, { from, to }: NewName): DashboardCreate {
  let isNamed = false
  const flow = (name: string): string => {
    if (name !== from) return name
    isNamed = true
    return to
  }
  const qualified = (name: string): string => {
    if (!name.startsWith(`${from}.`)) return name
    isNamed = true
    return `${to}${name.slice(from.length)}`
  }
  const followed = (source: ChartSource): ChartSource => {
    if (source.kind === 'messages') return { ...source, messages: source.messages.map(qualified) }
    const { select, metrics, x } = source
    return {
      ...source,
      select: 'flow' in select ? { ...select, flow: flow(select.flow) } : select,
      metrics: metrics.map(qualified),
      ...(x === undefined ? {} : { x: qualified(x) }),
    }
  }
  const widgets = shown.content.widgets.map((widget) => ({
    ...widget,
    binding: widget.binding && { message: qualified(widget.binding.message) },
    source: widget.source && followed(widget.source),
  }))
  return isNamed ? { ...shown, content: { ...shown.content, widgets } } : shown
}
