/**
 * What both elements have in common: a token that is a property alone, a shadow root with the console's look, a theme, and one
 * view at a time that is closed with all that it holds when the element leaves the page or is told something else.
 */
import { signal, type Signal } from '@preact/signals'
import { type ComponentChild, render } from 'preact'

import { type Engine, engineAt, Refusal, type ServiceErrorDetail, type Token } from './engine.ts'

import colours from '../colours.css?inline'
import chart from '../parts/chart/chart.css?inline'
import graph from '../parts/mini-graph.css?inline'
import status from '../parts/status.css?inline'
import frame from './elements.css?inline'

/** Where there are no elements, as in a server that renders pages, the module can be imported all the same. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? class {}

export type Theme = 'light' | 'dark'

/** What an element shows between two changes of its attributes. */
export interface View {
  readonly render: (theme: Theme) => ComponentChild
  /** Where its data comes from; rejects with a `Refusal`. */
  readonly load: () => Promise<void>
}

/** Why there is nothing to see, or nothing new. */
interface Trouble {
  readonly message: string
  /** It goes by itself. */
  readonly isPassing: boolean
}

/** Milliseconds until what could not be loaded is asked for again. */
const AGAIN_MS = 5000

/** Constructed once for all of a page: a policy that forbids inline styles lets it be. */
let sheet: CSSStyleSheet | null = null

function sheetOfPage(): CSSStyleSheet {
  if (sheet) return sheet
  sheet = new CSSStyleSheet()
  sheet.replaceSync([colours, status, graph, chart, frame].join('\n'))
  return sheet
}

export abstract class ServiceElement extends Base {
  #token: Token | null = null
  #close: (() => void) | null = null
  #retheme: (() => void) | null = null
  #isWaiting = false

  /** A token of the scopes `flows:read`, `runs:read` and `messages:read`, or what fetches one. It is in no attribute. */
  get token(): Token | null {
    return this.#token
  }

  set token(token: Token | null) {
    if (token === this.#token) return
    this.#token = token
    this.restart()
  }

  connectedCallback(): void {
    // a page that sets the token before this module is there has made a property of its own
    if (Object.hasOwn(this, 'token')) {
      const { token } = this
      Reflect.deleteProperty(this, 'token')
      this.token = token
    }
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [sheetOfPage()]
    this.restart()
  }

  disconnectedCallback(): void {
    this.#close?.()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (name === 'theme') this.#retheme?.()
    else if (before !== after) this.restart()
  }

  /** What is to be seen, or which attribute is missing. @internal */
  protected abstract open(engine: Engine): View | string

  /** Tells the page; listeners anywhere above hear it. @internal */
  protected tell(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
  }

  /** Several changes at once are one, and an element that is only moved begins once. @internal */
  protected restart(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    queueMicrotask(() => {
      this.#isWaiting = false
      this.#close?.()
      if (this.isConnected) this.#start()
    })
  }

  #start(): void {
    const trouble = signal<Trouble | null>(null)
    const over = new AbortController()
    const told = (refusal: Refusal | null): void => {
      if (over.signal.aborted) return
      const before = trouble.peek()
      trouble.value = refusal && { message: refusal.message, isPassing: refusal.isPassing }
      if (refusal === null || before?.message === refusal.message) return
      const { status: of, code, message } = refusal
      this.tell('service-error', { status: of, code, message } satisfies ServiceErrorDetail)
    }
    const token = this.#token
    const src = this.getAttribute('src')
    const engine = token === null || src === null ? null : engineAt({ src, token, told })
    const opened = engine ? this.open(engine) : src === null ? 'Set the attribute "src".' : 'Set the property "token".'
    const view = typeof opened === 'string' ? null : opened
    if (typeof opened === 'string') trouble.value = { message: opened, isPassing: true }
    const theme = signal(themeOf(this))
    this.#retheme = () => (theme.value = themeOf(this))
    watchTheme(over.signal, this.#retheme)
    const root = this.shadowRoot
    if (root) render(<Frame theme={theme} trouble={trouble} view={view} />, root)
    this.#close = () => {
      over.abort()
      engine?.close()
      if (root) render(null, root)
      this.#close = this.#retheme = null
    }
    if (view) void keepLoading(view, over.signal, told)
  }
}

/** Until it is there: an engine that is away comes back. */
async function keepLoading(view: View, signal: AbortSignal, told: (refusal: Refusal | null) => void): Promise<void> {
  try {
    await view.load()
    if (!signal.aborted) told(null)
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(0, 'unknown', String(error))
    told(refusal)
    if (!refusal.isPassing || signal.aborted) return
    const timer = setTimeout(() => void keepLoading(view, signal, told), AGAIN_MS)
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  }
}

interface FrameProps {
  readonly theme: Signal<Theme>
  readonly trouble: Signal<Trouble | null>
  readonly view: View | null
}

const Frame = ({ theme, trouble, view }: FrameProps) => (
  <div class="flow-service" data-theme={theme.value}>
    {trouble.value ? (
      <p class="trouble" role="status">
        {trouble.value.message}
        {view && trouble.value.isPassing ? ' Trying again.' : ''}
      </p>
    ) : null}
    {view?.render(theme.value)}
  </div>
)

/** That of the attribute, else the one in which the page around it is drawn. */
function themeOf(element: HTMLElement): Theme {
  const asked = element.getAttribute('theme')
  if (asked === 'light' || asked === 'dark') return asked
  const schemes = getComputedStyle(element).colorScheme.split(' ')
  const isDark = schemes.includes('light')
    ? matchMedia('(prefers-color-scheme: dark)').matches
    : schemes.includes('dark')
  return isDark && schemes.includes('dark') ? 'dark' : 'light'
}

/** A page changes its colours with the system's, or by an attribute of its outermost elements. */
function watchTheme(signal: AbortSignal, changed: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed, { signal })
  const observer = new MutationObserver(changed)
  for (const one of [document.documentElement, document.body]) observer.observe(one, { attributes: true })
  signal.addEventListener('abort', () => observer.disconnect(), { once: true })
}
