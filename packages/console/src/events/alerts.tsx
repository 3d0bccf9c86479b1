/** Who is told when something goes wrong: about what, and by which channel. */
import type { AlertConfig, AlertTestResult, User } from '@flow-service/client-sdk'
import { type AlertChannel, type AlertEvent, alertEvents, meaningOfAlert } from '@flow-service/protocol/words'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { call, post } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { type Faults, Form, TextField } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { Loading, Refused } from '../parts/states.tsx'
import { say, sayFault } from '../parts/toast.tsx'

const PATH = '/alerts/config'
const fields = [
  '/min_interval_s',
  '/events',
  '/channels/webhook/url',
  '/channels/webhook/headers',
  '/channels/push/server',
  '/channels/push/topic',
  '/channels/push/token',
  '/channels/email/to',
] as const

export function Alerts({ user }: { user: User }) {
  const { data: config, problem } = useResource<AlertConfig>(PATH).value
  if (config === undefined) return problem ? <Refused problem={problem} again={() => void load(PATH)} /> : <Loading />
  return <Config key={JSON.stringify(config)} known={config} mayChange={user.is_superuser} />
}

/** What is typed, each as a text. */
interface Typed {
  readonly isOn: boolean
  readonly interval: string
  readonly events: readonly AlertEvent[]
  readonly channels: Readonly<Record<AlertChannel, boolean>>
  readonly url: string
  readonly headers: readonly Header[]
  readonly server: string
  readonly topic: string
  readonly token: string
  readonly to: string
}

/** Of the request of the webhook: its value is a secret, whose name is typed, or stays the text that it is. */
interface Header {
  readonly name: string
  readonly secret: string
  readonly text: string
}

/** Those that are texts. */
type TypedText = 'url' | 'server' | 'topic' | 'token' | 'to'

const typedOf = ({
  enabled,
  min_interval_s: interval,
  events,
  channels: { webhook, push, email },
}: AlertConfig): Typed => ({
  isOn: enabled,
  interval: String(interval),
  events,
  channels: { webhook: webhook.enabled, push: push.enabled, email: email.enabled },
  url: webhook.url ?? '',
  headers: Object.entries(webhook.headers).map(([name, value]) => ({
    name,
    ...(typeof value === 'string' ? { secret: '', text: value } : { secret: value.$secret, text: '' }),
  })),
  server: push.server,
  topic: push.topic ?? '',
  token: push.token?.$secret ?? '',
  to: email.to.join(', '),
})

function configOf(typed: Typed): AlertConfig {
  const headers = typed.headers
    .map(({ name, secret, text }) => ({ name: name.trim(), secret: secret.trim(), text }))
    .filter(({ name }) => name !== '')
    .map(({ name, secret, text }) => [name, secret === '' ? text : { $secret: secret }] as const)
  return {
    enabled: typed.isOn,
    min_interval_s: Number(typed.interval),
    events: [...typed.events],
    channels: {
      webhook: {
        enabled: typed.channels.webhook,
        url: typed.url.trim() === '' ? null : typed.url.trim(),
        headers: Object.fromEntries(headers),
      },
      push: {
        enabled: typed.channels.push,
        server: typed.server.trim(),
        topic: typed.topic.trim() === '' ? null : typed.topic.trim(),
        token: typed.token.trim() === '' ? null : { $secret: typed.token.trim() },
      },
      email: { enabled: typed.channels.email, to: typed.to.split(/[\s,]+/).filter(Boolean) },
    },
  }
}

function Config({ known, mayChange }: { known: AlertConfig; mayChange: boolean }) {
  const [typed, setTyped] = useState(() => typedOf(known))
  const set = (changes: Partial<Typed>): void => setTyped({ ...typed, ...changes })
  const submit = async (): Promise<void> => {
    await call<AlertConfig>('PUT', PATH, configOf(typed))
    say('Alerts are set')
    await load(PATH)
  }
  return (
    <Form fields={fields} verb="Save" submit={submit} isReady={mayChange}>
      {(faults) => (
        <fieldset class="bare-set" disabled={!mayChange}>
          <legend class="unseen">Alerts</legend>
          {mayChange ? null : <p class="hint">Superusers change alerts.</p>}
          <label class="choice">
            <input
              type="checkbox"
              checked={typed.isOn}
              onChange={({ currentTarget }) => set({ isOn: currentTarget.checked })}
            />{' '}
            Send alerts
          </label>
          <div class="columns-2">
            <About typed={typed} set={set} faults={faults} />
            <Channels typed={typed} set={set} faults={faults} mayTest={mayChange} />
          </div>
        </fieldset>
      )}
    </Form>
  )
}

interface PartProps {
  readonly typed: Typed
  readonly set: (changes: Partial<Typed>) => void
  readonly faults: Faults
}

const About = ({ typed, set, faults }: PartProps) => (
  <fieldset class="card">
    <legend>About</legend>
    {alertEvents.map((event) => (
      <label key={event} class="choice">
        <input
          type="checkbox"
          checked={typed.events.includes(event)}
          onChange={({ currentTarget }) =>
            set({
              events: currentTarget.checked ? [...typed.events, event] : typed.events.filter((one) => one !== event),
            })
          }
        />
        <span>
          <code>{event}</code> <small>{meaningOfAlert(event)}</small>
        </span>
      </label>
    ))}
    {faults.at['/events'] === undefined ? null : <p class="fault">{faults.at['/events']}</p>}
    <TextField
      label="At most every"
      about="seconds, about the same thing"
      value={typed.interval}
      change={(interval) => set({ interval })}
      fault={faults.at['/min_interval_s']}
    />
  </fieldset>
)

function Channels({ typed, set, faults: { at }, mayTest }: PartProps & { readonly mayTest: boolean }) {
  const channel = (name: AlertChannel, children: ComponentChildren) => (
    <Channel
      name={name}
      isOn={typed.channels[name]}
      flip={(isOn) => set({ channels: { ...typed.channels, [name]: isOn } })}
      mayTest={mayTest}
    >
      {children}
    </Channel>
  )
  const text = (key: TypedText, label: string, about: string, fault?: string) => (
    <TextField label={label} about={about} value={typed[key]} change={(value) => set({ [key]: value })} fault={fault} />
  )
  return (
    <div class="fields">
      {channel(
        'webhook',
        <>
          {text('url', 'Address', 'https://…', at['/channels/webhook/url'])}
          <Headers of={typed.headers} change={(headers) => set({ headers })} fault={at['/channels/webhook/headers']} />
        </>,
      )}
      {channel(
        'push',
        <>
          {text('server', 'Server', 'of ntfy', at['/channels/push/server'])}
          {text('topic', 'Topic', '', at['/channels/push/topic'])}
          {text('token', 'Token', 'name of a secret', at['/channels/push/token'])}
        </>,
      )}
      {channel('email', text('to', 'To', 'addresses with commas between them', at['/channels/email/to']))}
    </div>
  )
}

interface HeadersProps {
  readonly of: readonly Header[]
  readonly change: (headers: readonly Header[]) => void
  readonly fault: string | undefined
}

function Headers({ of, change, fault }: HeadersProps) {
  const set = (at: number, changes: Partial<Header>): void =>
    change(of.map((one, index) => (index === at ? { ...one, ...changes } : one)))
  const field = (at: number, key: 'name' | 'secret', label: string, placeholder: string) => (
    <input
      aria-label={`${label} ${at + 1}`}
      placeholder={placeholder}
      value={of[at]?.[key]}
      onInput={({ currentTarget }) => set(at, { [key]: currentTarget.value })}
    />
  )
  return (
    <div class="field">
      <span>
        Headers <small>with the name of a secret as their value</small>
      </span>
      {of.map(({ text }, at) => (
        <div key={at} class="header-fields">
          {field(at, 'name', 'Header', 'such as Authorization')}
          {field(at, 'secret', 'Secret of header', text === '' ? 'name of a secret' : 'a text, as it is')}
          <button
            type="button"
            aria-label={`Remove header ${at + 1}`}
            onClick={() => change(of.filter((__, index) => index !== at))}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      {fault === undefined ? null : <p class="fault">{fault}</p>}
      <div>
        <button type="button" onClick={() => change([...of, { name: '', secret: '', text: '' }])}>
          Add a header
        </button>
      </div>
    </div>
  )
}

const titles: Readonly<Record<AlertChannel, string>> = { webhook: 'Webhook', push: 'Push', email: 'E-mail' }

interface ChannelProps {
  readonly name: AlertChannel
  readonly isOn: boolean
  readonly flip: (isOn: boolean) => void
  readonly mayTest: boolean
  readonly children: ComponentChildren
}

function Channel({ name, isOn, flip, mayTest, children }: ChannelProps) {
  const [said, setSaid] = useState<AlertTestResult | null>(null)
  const test = async (): Promise<void> => setSaid(await post<AlertTestResult>(`/alerts/test/${name}`))
  return (
    <fieldset class="card fields">
      <legend>{titles[name]}</legend>
      <label class="choice">
        <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => flip(currentTarget.checked)} /> Send
        alerts by it
      </label>
      {children}
      <div class="choice">
        <button type="button" disabled={!mayTest} onClick={() => void test().catch(sayFault)}>
          Send a test, as it was saved
        </button>
        {said === null ? null : (
          <span role="status" class={said.ok ? '' : 'fault'}>
            {said.ok ? 'It was taken.' : (said.detail ?? 'It was refused.')}
          </span>
        )}
      </div>
    </fieldset>
  )
}
