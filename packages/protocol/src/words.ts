/**
 * Closed lists of words that people type on a command line or read on a page. They stand apart from their schemas, which take a
 * tenth of a second to load: help and completion of the command line, and the console, need the words alone.
 * @module
 */

/** Every scope with what it covers. */
const scopeMeanings = {
  'flows:read': 'flows, node types, the library, the graph, dashboards, devices, modules',
  'flows:write': 'drafts, layout, checks, plans, drafts of dashboards',
  'flows:publish': 'publish, discard, rename, duplicate, delete, and all control of live flows; dashboards likewise',
  'flows:code': 'what of flows only superusers may change: code, commands, environment variables',
  'runs:read': 'runs, metrics, exports, bytes of artifacts',
  'runs:write': 'submit, import, cancel, retry and delete runs; store artifacts',
  'messages:read': 'the catalogue of messages, last values, history, the event socket',
  'messages:publish': 'publish messages; routes of connectors',
  'devices:write': 'devices and their pairing',
  'observability:read': 'state, cascades, measurements, events, dead letters, workers',
  admin: 'everything',
} as const

/** A part of the API. None gives what the owner lacks. */
export type Scope = keyof typeof scopeMeanings

/** All scopes. */
export const scopes = Object.keys(scopeMeanings) as [Scope, ...Scope[]]

/** What a scope covers, in a few words. */
export const meaningOfScope = (scope: Scope): string => scopeMeanings[scope]

/** What alerts are about, with what each means. */
const alertMeanings = {
  flow_failed: 'a live flow could not be started, or runs nowhere though it should',
  node_failed: 'an execution of a live node has failed',
  run_error: 'a run has ended with an error',
  run_abandoned: 'a run was given up, because its engine stopped',
  worker_lost: 'a worker has disconnected during calls, or was silent for 90 seconds',
  connector_down: 'a node has lost its connection',
  store_unavailable: 'the database has failed two checks in a row',
  queue_stalled: 'a run waits for 300 seconds though there is room for it',
} as const

/** What an alert is about. */
export type AlertEvent = keyof typeof alertMeanings

/** All of them. */
export const alertEvents = Object.keys(alertMeanings) as [AlertEvent, ...AlertEvent[]]

/** What it means, in a few words. */
export const meaningOfAlert = (event: AlertEvent): string => alertMeanings[event]

/** Where alerts go. */
export const alertChannels = ['webhook', 'push', 'email'] as const
/** Where alerts go. */
export type AlertChannel = (typeof alertChannels)[number]

/** States of a run. */
export const runStatuses = ['queued', 'running', 'ok', 'error', 'cancelled', 'abandoned'] as const

/** Why OpenID Connect has signed nobody in, as sentences for people. */
const signInMeanings = {
  denied: 'the provider has not let you in, or you have not agreed',
  expired: 'this sign-in was begun in another browser, or more than ten minutes ago, or has ended: begin again',
  provider: 'the provider does not answer as it should: try again later, and tell the operator if it goes on',
  no_email: 'the provider does not tell your e-mail address: the operator has to let it',
  unverified: 'there is an account of your e-mail address, and the provider does not vouch that the address is yours',
  domain: 'there is no account of your e-mail address, and none is made for it: ask the operator for one',
  inactive: 'your account may not sign in: ask a superuser',
} as const

/** `return_to` gets one of these as `#error=<word>`. */
export type SignInError = keyof typeof signInMeanings

/** All of them. */
export const signInErrors = Object.keys(signInMeanings) as readonly SignInError[]

/** What a word of `#error=` means, to be shown to people; undefined for a word that is none. */
export const meaningOfSignInError = (word: string): string | undefined =>
  signInErrors.some((known) => known === word) ? signInMeanings[word as SignInError] : undefined
