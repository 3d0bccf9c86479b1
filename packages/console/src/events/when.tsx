/** The time of a row: of the reader, with the date where it is not of today; the title is UTC. */
import { clock } from '../format.ts'

const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' })

export function When({ ts }: { ts: string }) {
  const at = new Date(ts)
  const isToday = at.toDateString() === new Date().toDateString()
  return (
    <time class="num" dateTime={ts} title={ts}>
      {isToday ? '' : `${day.format(at)} `}
      {clock(ts)}
    </time>
  )
}
