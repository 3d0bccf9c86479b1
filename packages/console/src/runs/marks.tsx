/** What people say about a run: a note, and tags to find it by. */
import type { Run } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { call, type Problem } from '../api/call.ts'
import { load } from '../api/resource.ts'

export function Marks({ run, path }: { run: Run; path: string }) {
  const [note, setNote] = useState(run.note)
  const [tags, setTags] = useState(run.tags.join(' '))
  const [told, setTold] = useState<{ readonly text: string; readonly isWrong: boolean } | null>(null)
  const wanted = tags.split(/\s+/).filter(Boolean)
  const isChanged = note !== run.note || wanted.toSorted().join(' ') !== run.tags.join(' ')
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    try {
      await call('PATCH', path, { note, tags: wanted })
      await load(path)
      setTold({ text: 'Saved.', isWrong: false })
    } catch (problem) {
      setTold({ text: (problem as Problem).message, isWrong: true })
    }
  }
  return (
    <form class="marks" onSubmit={(event) => void save(event)}>
      <h2>Note and tags</h2>
      <label for="note">Note</label>
      <textarea
        id="note"
        rows={3}
        maxLength={10_000}
        value={note}
        onInput={(event) => setNote(event.currentTarget.value)}
      />
      <label for="tags">Tags, with spaces between them</label>
      <input id="tags" value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
      <div>
        <button disabled={!isChanged}>Save</button>
        <span class={told?.isWrong ? 'fault' : 'hint'} role="status">
          {told?.text}
        </span>
      </div>
    </form>
  )
}
