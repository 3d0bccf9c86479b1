/**
 * What needs somebody while a flow is edited, beside the canvas and in nobody's way: what others have changed too, work of closed
 * tabs, and why something is not saved.
 */
import type { JsonValue } from '@flow-service/client-sdk'

import { ago } from '../format.ts'
import { now } from '../live/clock.ts'
import { Icon } from '../parts/icon.tsx'
import { credentialNames, masked, shown } from './diff.ts'
import { answerOffer, type Editing, useNodeTypes } from './editing.ts'
import { type Conflict, placeOfConflict } from './merge.ts'

export function WorkNotes({ editing }: { readonly editing: Editing }) {
  const { draft, offers } = editing
  const [conflicts, works, problem] = [draft.conflicts.value, offers.value, draft.problem.value]
  if (conflicts.length === 0 && works.length === 0 && problem === null) return null
  return (
    <section class="work-notes" aria-label="Notes on your work">
      {problem === null ? null : (
        <p class="wrong">
          <Icon name="warn" size={16} /> Not saved: {problem.message}
        </p>
      )}
      {works.map((work) => (
        <div key={work.key} class="offer">
          <p>A tab was closed {ago(new Date(work.at).toISOString(), now.value)} with work that was not saved.</p>
          <button onClick={() => void answerOffer(editing, work, true)}>Take it up</button>
          <button class="bare" onClick={() => void answerOffer(editing, work, false)}>
            Let it go
          </button>
        </div>
      ))}
      {conflicts.length === 0 ? null : (
        <div>
          <h3>Others have changed this too</h3>
          <ul class="conflicts">
            {conflicts.map((conflict) => (
              <OneConflict key={conflict.path.join('/')} editing={editing} conflict={conflict} />
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

function OneConflict({ editing, conflict }: { readonly editing: Editing; readonly conflict: Conflict }) {
  const names = credentialNames(useNodeTypes())
  const { path, mine, theirs } = conflict
  const said = (value: unknown): string => {
    if (value === undefined) return 'taken away'
    // of a whole node there is more than a line
    if (path.length === 2 && typeof value === 'object') return 'changed'
    return shown(masked(value as JsonValue, names, `/${path.join('/')}`))
  }
  return (
    <li>
      <b>{placeOfConflict(conflict)}</b>
      <span>
        yours <code>{said(mine)}</code>, theirs <code>{said(theirs)}</code>
      </span>
      <span class="go">
        <button onClick={() => editing.draft.settle(conflict, 'mine')}>Keep mine</button>
        <button onClick={() => editing.draft.settle(conflict, 'theirs')}>Take theirs</button>
      </span>
    </li>
  )
}
