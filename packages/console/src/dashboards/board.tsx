/** A dashboard as it is seen: its widgets on their grid, one below the other where there is no room beside. */
import type { DashboardContentOutput, Issue, Message, WidgetOutput } from '@flow-service/client-sdk'
import type { ComponentChildren } from 'preact'

import { useResource } from '../api/resource.ts'
import { Icon } from '../parts/icon.tsx'
import { useBoardNow } from './live.ts'
import { Shown } from './shown.tsx'

interface BoardProps {
  readonly content: DashboardContentOutput
  readonly issues: readonly Issue[]
  /** While it is edited: the frame around a widget, with handles. */
  readonly frame?: (widget: WidgetOutput, shown: ComponentChildren) => ComponentChildren
}

export function Board({ content, issues, frame }: BoardProps) {
  const now = useBoardNow(content)
  const { data } = useResource<Message[]>('/messages/').value
  const messages = data && new Map(data.map((message) => [message.name, message]))
  return (
    <div class="board" style={{ '--columns': content.columns }}>
      {inOrder(content.widgets).map((widget) => {
        const shown = (
          <>
            {widget.title === '' ? null : <h2>{widget.title}</h2>}
            {issuesOf(issues, content, widget).map((message) => (
              <p key={message} class="hint">
                <Icon name="warn" /> {message}
              </p>
            ))}
            <div class="widget-body">
              <Shown widget={widget} now={now} messages={messages} />
            </div>
          </>
        )
        return (
          <section
            key={widget.id}
            class={`card widget is-${widget.type}-widget${widget.h === 1 ? ' is-low' : ''}`}
            aria-label={widget.title || `${widget.type} ${widget.id}`}
            style={placeOf(widget)}
          >
            {frame ? frame(widget, shown) : shown}
          </section>
        )
      })}
    </div>
  )
}

/** As one reads: from above, and from the left. */
const inOrder = (widgets: readonly WidgetOutput[]): readonly WidgetOutput[] =>
  widgets.toSorted((a, b) => a.y - b.y || a.x - b.x)

const placeOf = ({ x, y, w, h }: WidgetOutput) => ({
  gridColumn: `${x + 1} / span ${w}`,
  gridRow: `${y + 1} / span ${h}`,
  '--rows': h,
})

/** What of the dashboard's issues is about a widget. */
function issuesOf(
  issues: readonly Issue[],
  { widgets }: DashboardContentOutput,
  widget: WidgetOutput,
): readonly string[] {
  const at = widgets.indexOf(widget)
  return issues.filter(({ path }) => path?.startsWith(`/content/widgets/${at}/`)).map(({ message }) => message)
}
