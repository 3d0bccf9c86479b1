/** The shell: the areas at the side, the page of the address, and what is said above every page. */
import type { User } from '@flow-service/client-sdk'
import { effect } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { useResource } from './api/resource.ts'
import { Home } from './home/page.tsx'
import { KeyList } from './key-list.tsx'
import { listenToKeys } from './keys.ts'
import { link } from './live/link.ts'
import { keyList, palette } from './overlays.ts'
import { Palette } from './palette.tsx'
import { Icon, type IconName } from './parts/icon.tsx'
import { lazy } from './parts/lazy.tsx'
import { useShownPart } from './parts/shown-part.ts'
import { Empty } from './parts/states.tsx'
import { Toasts } from './parts/toast.tsx'
import { path } from './router.ts'
import { session, signOut } from './session.ts'
import { SignIn } from './sign-in/page.tsx'
import { flipTheme, theme } from './theme.ts'

import './parts/parts.css'

/** An area of the console. */
interface Area {
  readonly name: string
  readonly title: string
  readonly icon: IconName
  /** Leads there after `g`. */
  readonly letter: string
  readonly page: ComponentType
}

/** In the order of the rail; the first one is the page of the bare address. */
const areas: readonly Area[] = [
  { name: '', title: 'Home', icon: 'home', letter: 'h', page: Home },
  {
    name: 'flows',
    title: 'Flows',
    icon: 'flows',
    letter: 'f',
    page: lazy(() => import('./flow/page.tsx').then(({ Flows }) => Flows)),
  },
  {
    name: 'runs',
    title: 'Runs',
    icon: 'runs',
    letter: 'r',
    page: lazy(() => import('./runs/runs-page.tsx').then(({ Runs }) => Runs)),
  },
  {
    name: 'dashboards',
    title: 'Boards',
    icon: 'boards',
    letter: 'b',
    page: lazy(() => import('./dashboards/page.tsx').then(({ Dashboards }) => Dashboards)),
  },
  {
    name: 'devices',
    title: 'Devices',
    icon: 'device',
    letter: 'd',
    page: lazy(() => import('./devices/page.tsx').then(({ Devices }) => Devices)),
  },
  {
    name: 'workers',
    title: 'Workers',
    icon: 'chip',
    letter: 'w',
    page: lazy(() => import('./workers/page.tsx').then(({ Workers }) => Workers)),
  },
  {
    name: 'events',
    title: 'Events',
    icon: 'bell',
    letter: 'e',
    page: lazy(() => import('./events/page.tsx').then(({ Events }) => Events)),
  },
  {
    name: 'settings',
    title: 'Settings',
    icon: 'gear',
    letter: 's',
    page: lazy(() => import('./settings/page.tsx').then(({ Settings }) => Settings)),
  },
]

/** Pages that are reached from others. */
const pages: Readonly<Record<string, { readonly of: string; readonly title: string; readonly page: ComponentType }>> = {
  compare: {
    of: 'runs',
    title: 'Compare',
    page: lazy(() => import('./compare/page.tsx').then(({ Compare }) => Compare)),
  },
}

/** What the address leads to, and the area that it is of. */
function placeNow(): { readonly area: Area; readonly title: string; readonly page: ComponentType } | null {
  const name = path.value[0] ?? ''
  const beside = pages[name]
  const area = areas.find((one) => one.name === (beside?.of ?? name))
  return area ? { area, title: beside?.title ?? area.title, page: beside?.page ?? area.page } : null
}

effect(() => {
  const title = placeNow()?.title ?? 'Not found'
  document.title = `${session.value === null ? 'Sign in' : title} · flow-service`
})

export function App() {
  return session.value === null ? <SignIn /> : <Shell key={session.value.token} />
}

function Shell() {
  useEffect(() => listenToKeys(areas.map(({ name, letter }) => ({ to: `/${name}`, letter }))), [])
  const place = placeNow()
  const main = useRef<HTMLElement>(null)
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          main.current?.focus()
        }}
      >
        Skip to the page
      </a>
      <Rail here={place?.area ?? null} />
      <main id="main" tabIndex={-1} ref={main}>
        <Away />
        {place ? (
          <place.page key={place.title} />
        ) : (
          <div class="page">
            <Empty title="There is nothing here">
              The address <code>{path.value.join('/')}</code> is none of the console. <a href="#/">Go home</a>
            </Empty>
          </div>
        )}
      </main>
      {palette.value ? <Palette areas={areas} /> : null}
      {keyList.value ? <KeyList areas={areas} /> : null}
      <Toasts />
    </div>
  )
}

function Rail({ here }: { here: Area | null }) {
  const row = useShownPart<HTMLElement>(here?.name)
  return (
    <nav class="rail" aria-label="Areas" ref={row}>
      <a class="brand" href="#/" aria-label="flow-service, home">
        <img src="./icon.svg" alt="" width="28" height="28" />
      </a>
      {areas.map((area) => (
        <a key={area.name} href={`#/${area.name}`} aria-current={area === here ? 'page' : undefined}>
          <Icon name={area.icon} size={20} />
          <span>{area.title}</span>
        </a>
      ))}
      <span class="grow" />
      <button class="bare" onClick={() => (palette.value = true)} title="Find anything (Ctrl+K)">
        <Icon name="search" size={20} />
        <span aria-hidden="true">Find</span>
        <span class="unseen">Find anything</span>
      </button>
      <button class="bare" onClick={flipTheme} title={theme.value === 'dark' ? 'Light' : 'Dark'}>
        <Icon name={theme.value === 'dark' ? 'sun' : 'moon'} size={20} />
        <span aria-hidden="true">{theme.value === 'dark' ? 'Light' : 'Dark'}</span>
        <span class="unseen">{theme.value === 'dark' ? 'Use light colours' : 'Use dark colours'}</span>
      </button>
      <Account />
    </nav>
  )
}

function Account() {
  const { data: user } = useResource<User>('/users/me').value
  const name = user?.full_name || user?.email || ''
  return (
    <>
      <a class="own" href="#/settings?tab=account" title={name === '' ? 'Your account' : `Signed in as ${name}`}>
        <Icon name="person" size={20} />
        <span aria-hidden="true">Account</span>
        <span class="unseen">Your account</span>
      </a>
      <button class="bare" onClick={() => signOut()} title={name === '' ? 'Sign out' : `Sign out, ${name}`}>
        <Icon name="out" size={20} />
        <span aria-hidden="true">Sign out</span>
        <span class="unseen">Sign out{name === '' ? '' : `, ${name}`}</span>
      </button>
    </>
  )
}

/** Said once for all pages: they keep what they show, and it is old. */
const Away = () =>
  link.value === 'lost' ? (
    <p class="banner" role="status">
      <Icon name="warn" /> No connection to the engine. What you see is from before; trying again.
    </p>
  ) : null
