/** Parts of a page of which one is shown; which one stands in the address. */
import type { ComponentChild } from 'preact'

import { query, setQuery } from '../router.ts'
import { useShownPart } from './shown-part.ts'

interface Tab {
  readonly name: string
  readonly title: string
  /** What it is for, where its title alone does not say it. */
  readonly about?: string
  readonly count?: number
  readonly show: () => ComponentChild
}

export function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  const [first] = tabs
  const shown = tabs.find(({ name }) => name === query.value.get('tab')) ?? first
  const row = useShownPart<HTMLDivElement>(shown?.name)
  const choose = (tab: Tab | undefined): void => {
    if (!tab) return
    setQuery({ tab: tab === first ? null : tab.name })
    document.getElementById(`tab-${tab.name}`)?.focus()
  }
  const hear = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step !== undefined && shown) choose(tabs[(tabs.indexOf(shown) + step + tabs.length) % tabs.length])
  }
  return (
    <section class="tabbed">
      <div class="tabs" role="tablist" ref={row}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            id={`tab-${tab.name}`}
            role="tab"
            aria-selected={tab === shown}
            aria-controls="tab-panel"
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => choose(tab)}
            onKeyDown={hear}
          >
            {tab.title} {tab.count === undefined ? null : <small>{tab.count}</small>}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${shown?.name}`}>
        {shown?.about === undefined ? null : <p class="hint tab-about">{shown.about}</p>}
        {shown?.show()}
      </div>
    </section>
  )
}
