/**
 * Everything that happens in a flow, newest first. Holding the list never holds the engine: what passes meanwhile is counted.
 * A value of a message that changes faster than twenty times a second is the newest of each of these moments.
 */
import type { EventFrame } from '@flow-service/protocol'
import { useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'

import { clock, number, oneLine } from '../format.ts'
import { Icon } from '../parts/icon.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { query, setQuery } from '../router.ts'
import { shortName } from './graph.ts'
import type { FlowNow } from './live.ts'

/** Kept, and shown of it; a list that grows for ever would take the memory of the page. */
const [KEPT, SHOWN] = [500, 100]
/** The list is drawn anew at most so often: nobody reads faster. */
const EVERY_MS = 250

interface FlowEvent {
  readonly seq: number
  readonly ts: string
  /** Message or node. */
  readonly name: string
  readonly node: string | null
  readonly value: unknown
  readonly isBad: boolean
}

interface EventsListProps {
  readonly flow: string
  readonly now: FlowNow
  readonly chosen: string | null
  /** Opens the inspector of a node. */
  readonly choose: (node: string | null) => void
}

export function EventsList({ flow, now, chosen, choose }: EventsListProps) {
  const { events, passed, isHeld, hold, clear } = useEvents(flow, now)
  const find = query.value.get('events') ?? ''
  const [open, setOpen] = useState<number | null>(null)
  const flip = ({ seq, node }: FlowEvent): void => {
    setOpen(open === seq ? null : seq)
    if (open !== seq && node !== null) setQuery({ node, panel: 'events' })
  }
  const found = events.filter(({ name, node }) => find === '' || name.includes(find) || node?.includes(find))
  return (
    <>
      <header class="panel-head">
        <h2>Events</h2>
        <small>
          <span class="num">{now.rate}</span>/s
        </small>
        <span class="grow" />
        {chosen === null ? null : (
          <button class="bare" onClick={() => choose(chosen)}>
            Node
          </button>
        )}
        <button class="bare" aria-pressed={isHeld} onClick={hold} title="Holds this list; the flow goes on">
          <Icon name={isHeld ? 'play' : 'pause'} /> {isHeld ? `${number(passed)} passed` : 'Pause list'}
        </button>
        <button class="bare" onClick={clear} title="Empty the list">
          <Icon name="close" />
          <span class="unseen">Empty the list</span>
        </button>
      </header>
      <div class="find" role="search">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Message or node"
          placeholder="message or node"
          value={find}
          onInput={({ currentTarget }) => setQuery({ events: currentTarget.value })}
        />
      </div>
      <ol class="events">
        {found.slice(0, SHOWN).map((event) => (
          <Line key={event.seq} event={event} isOpen={open === event.seq} flip={() => flip(event)} choose={choose} />
        ))}
      </ol>
      {found.length === 0 ? (
        <p class="hint">
          {events.length === 0
            ? 'Values and failures of this flow appear here as they happen. Choose a node to send it one.'
            : 'None of these has that name.'}
        </p>
      ) : null}
    </>
  )
}

interface LineProps {
  readonly event: FlowEvent
  readonly isOpen: boolean
  readonly flip: () => void
  readonly choose: (node: string) => void
}

const Line = ({ event: { ts, name, node, value, isBad }, isOpen, flip, choose }: LineProps) => (
  <li class={isBad ? 'bad' : ''}>
    <button class="bare line" aria-expanded={isOpen} onClick={flip}>
      <time dateTime={ts} title={ts}>
        {clock(ts)}
      </time>
      <b>{name}</b>
      <span class="num">{oneLine(value, 60)}</span>
    </button>
    {isOpen ? (
      <div class="opened">
        <JsonView of={value} />
        {node === null ? null : (
          <button onClick={() => choose(node)}>
            Open node <b>{node}</b>
          </button>
        )}
      </div>
    ) : null}
  </li>
)

function useEvents(flow: string, now: FlowNow) {
  const [events, setEvents] = useState<readonly FlowEvent[]>([])
  const [isHeld, setHeld] = useState(false)
  const passed = useSignal(0)
  const held = useRef(false)
  held.current = isHeld
  useEffect(() => {
    let waiting: FlowEvent[] = []
    let timer = 0
    const end = now.listen((frames) => {
      const next = frames.flatMap((frame) => eventOf(frame, flow) ?? [])
      if (next.length === 0) return
      if (held.current) {
        passed.value += next.length
        return
      }
      waiting = [...next.toReversed(), ...waiting].slice(0, KEPT)
      if (timer !== 0) return
      timer = window.setTimeout(() => {
        const gathered = waiting
        timer = 0
        waiting = []
        setEvents((known) => [...gathered, ...known].slice(0, KEPT))
      }, EVERY_MS)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [flow, now])
  const hold = (): void => {
    passed.value = 0
    setHeld(!isHeld)
  }
  return { events, passed: passed.value, isHeld, hold, clear: () => setEvents([]) }
}

function eventOf(frame: EventFrame, flow: string): FlowEvent | null {
  if (frame.type === 'value' && frame.run === null && frame.flow === flow) {
    const { seq, ts, message, node, value } = frame
    return { seq, ts, name: shortName(message, flow), node, value, isBad: false }
  }
  if (frame.type === 'node' && frame.run === null && frame.flow === flow && frame.status === 'failed') {
    const { seq, ts, node, error } = frame
    return { seq, ts, name: node, node, value: error?.message ?? 'failed', isBad: true }
  }
  return null
}
