/**
 * The pages on which somebody signs in and lets a program in. They load nothing, execute nothing, and stand in no frame.
 * @module
 */
import { createHash } from 'node:crypto'

import { meaningOfScope, type Scope } from '@flow-service/protocol'

import type { AuthorizationClient, AuthorizationUser } from './host.ts'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; place-items: center; min-height: 100vh; background: Canvas; color: CanvasText; }
main { box-sizing: border-box; width: min(28rem, 100%); padding: 2rem 1.5rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.25; }
label { display: block; margin: 0.75rem 0; }
label small, .note { display: block; color: GrayText; }
input[type='email'], input[type='password'] { box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; }
fieldset { margin: 1rem 0; border: 1px solid GrayText; border-radius: 0.5rem; }
.scope { display: grid; grid-template-columns: auto 1fr; gap: 0 0.6rem; }
.scope input { grid-row: span 2; margin-top: 0.35rem; }
.fault { padding: 0.6rem 0.8rem; border-left: 4px solid #c62828; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.25rem; }
button { padding: 0.6rem 1.2rem; font: inherit; border: 1px solid GrayText; border-radius: 0.4rem; cursor: pointer; }
button.main { background: #1a56c4; border-color: #1a56c4; color: #fff; }
`

const styleDigest = createHash('sha256').update(style).digest('base64')

/** Headers of a page; `formTarget` is where a form leads beside this service, as a source of a policy. */
export const pageHeaders = (formTarget = ''): Record<string, string> => ({
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleDigest}'`,
    `form-action 'self' ${formTarget}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // the form says by that where it comes from, and nobody else learns the address
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})

/** Where a program has its users sent back to, as a source of a policy: a browser holds a form to all its redirects. */
export function sourceOf(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri)
  // a policy cannot name an address of IPv6
  return protocol === 'https:' || (protocol === 'http:' && !hostname.startsWith('[')) ? origin : protocol
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`)

const page = (title: string, content: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} - flow-service</title>
<style>${style}</style>
</head>
<body><main>
<h1>${escaped(title)}</h1>
${content}
</main></body>
</html>
`

const faultOf = (fault: string | null): string =>
  fault === null ? '' : `<p class="fault" role="alert">${escaped(fault)}</p>`

/** What is asked, and by whom. */
export interface Asked {
  readonly client: AuthorizationClient
  readonly redirectUri: string
  /** What was wrong with the last answer. */
  readonly fault: string | null
}

const asker = ({ client, redirectUri }: Asked): string => {
  const { protocol, host } = new URL(redirectUri)
  const where = host === '' ? protocol : host
  const unknown = client.registered
    ? ' This program has made itself known here: nobody has checked that its name is right.'
    : ''
  return `<p class="note">You are sent back to ${escaped(where)} afterwards.${unknown}</p>`
}

/** The page that asks who somebody is. */
export const signInPage = (asked: Asked): string =>
  page(
    'Sign in',
    `<p><strong>${escaped(asked.client.name)}</strong> asks to act for you in flow-service. Sign in to see what it asks for.</p>
${faultOf(asked.fault)}
<form method="post" autocomplete="on">
<label>E-mail <input type="email" name="email" autocomplete="username" required maxlength="320" autofocus></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required maxlength="1024"></label>
${asker(asked)}
<div class="buttons"><button class="main" name="action" value="sign-in">Sign in</button>
<button name="action" value="deny" formnovalidate>Cancel</button></div>
</form>`,
  )

/** Scopes by which an agent acts on what runs, or gets at everything: they are to be ticked by hand. */
const grave: ReadonlySet<Scope> = new Set<Scope>([
  'admin',
  'devices:write',
  'flows:code',
  'flows:publish',
  'messages:publish',
])

const scopeLine = (scope: Scope): string =>
  `<label class="scope"><input type="checkbox" name="scope" value="${scope}"${grave.has(scope) ? '' : ' checked'}>
<span>${scope}</span><small>${escaped(meaningOfScope(scope))}</small></label>`

/** The page that asks a user what a program may do. */
export const consentPage = (asked: Asked & { user: AuthorizationUser; scopes: readonly Scope[] }): string =>
  page(
    `Let ${asked.client.name} in?`,
    `<p>You are signed in as <strong>${escaped(asked.user.email)}</strong>. <strong>${escaped(asked.client.name)}</strong> asks to act for you. It never gets beyond what you may do yourself.</p>
${faultOf(asked.fault)}
<form method="post">
<fieldset><legend>It may use</legend>
${asked.scopes.map(scopeLine).join('\n')}
</fieldset>
${asker(asked)}
<p class="note">End it at any time: service oauth tokens, service oauth revoke.</p>
<div class="buttons"><button class="main" name="action" value="allow">Let it in</button>
<button name="action" value="deny">Refuse</button>
<button name="action" value="leave">Another account</button></div>
</form>`,
  )

/** The page that says why somebody cannot go on. */
export const errorPage = (fault: string): string =>
  page('This does not work', `${faultOf(fault)}<p>Go back to the program that sent you here, and begin anew.</p>`)
