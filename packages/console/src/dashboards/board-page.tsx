/** One dashboard to look at; `?kiosk` is for a screen on a wall. */
import type { Dashboard } from '@flow-service/client-sdk'
import { useEffect } from 'preact/hooks'

import { load, useResource } from '../api/resource.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { query, setQuery } from '../router.ts'
import { Board } from './board.tsx'

export function BoardPage({ name }: { name: string }) {
  const isDraft = query.value.get('draft') !== null
  const path = `/dashboards/${encodeURIComponent(name)}${isDraft ? '?draft=true' : ''}`
  const { data: board, problem } = useResource<Dashboard>(path).value
  const isKiosk = query.value.get('kiosk') !== null
  useKiosk(isKiosk)
  if (board === undefined) {
    return (
      <div class="page">
        {problem === null ? (
          <Loading />
        ) : problem.status === 404 && !isDraft ? (
          <Empty title="It is not published">
            Look at <a href={`#/dashboards/${encodeURIComponent(name)}?draft=1`}>its draft</a>, or{' '}
            <a href="#/dashboards">see all boards</a>.
          </Empty>
        ) : (
          <Refused problem={problem} again={() => void load(path)} />
        )}
      </div>
    )
  }
  return (
    <div class={isKiosk ? 'page full kiosk' : 'page full board-page'}>
      <header class="head">
        <a class="crumb" href="#/dashboards">
          Boards
        </a>
        <h1 title={board.name}>{board.title || board.name}</h1>
        {board.is_draft ? <small>draft</small> : null}
        <span class="grow" />
        {isKiosk ? (
          <button onClick={() => setQuery({ kiosk: null })}>Leave full screen</button>
        ) : (
          <>
            <button onClick={() => setQuery({ kiosk: '1' })}>
              <Icon name="boards" /> Full screen
            </button>
            {board.origin === 'code' ? (
              <small>defined in code: edit it there</small>
            ) : (
              <a class="button primary" href={`#/dashboards/${encodeURIComponent(name)}/edit`}>
                Edit
              </a>
            )}
          </>
        )}
      </header>
      {board.content.widgets.length === 0 ? (
        <Empty title="No widgets yet">Edit it to add values, charts, tables and controls.</Empty>
      ) : (
        <Board content={board.content} issues={board.issues} />
      )}
    </div>
  )
}

/** For a screen on a wall: the rail goes, the browser shows the page alone, and the screen stays on where the browser lets it. */
function useKiosk(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const { documentElement: root } = document
    root.classList.add('is-kiosk')
    let lock: WakeLockSentinel | null = null
    let isOver = false
    // each is refused by some browsers, and where nobody has clicked: the page is as good without
    const ask = async (): Promise<void> => {
      if (document.hidden) return
      lock = (await navigator.wakeLock?.request('screen')) ?? null
      if (isOver) await lock?.release()
    }
    const wake = (): void => void ask().catch(() => undefined)
    wake()
    document.addEventListener('visibilitychange', wake)
    if (!document.fullscreenElement) root.requestFullscreen?.().catch(() => undefined)
    return () => {
      isOver = true
      document.removeEventListener('visibilitychange', wake)
      root.classList.remove('is-kiosk')
      void lock?.release()
      if (document.fullscreenElement) void document.exitFullscreen()
    }
  }, [isOn])
}
