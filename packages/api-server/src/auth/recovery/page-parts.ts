/**
 * What the page for passwords is made of: its elements, its style, and its script, which a browser executes as it stands here.
 * @module
 */

/** The elements; each form is shown when its time has come. */
export const body = `<main>
<h1 id="title">Set your password</h1>
<noscript><p>This page needs JavaScript: allow it, then load the page again.</p></noscript>
<p id="told" role="status" tabindex="-1" hidden></p>
<p id="wrong" role="alert" hidden></p>
<form id="choose" hidden>
<label for="password">New password</label>
<input id="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required aria-describedby="rule">
<p id="rule">8 to 128 characters.</p>
<label for="again">The same once more</label>
<input id="again" type="password" autocomplete="new-password" maxlength="128" required>
<button>Set the password</button>
</form>
<form id="ask" hidden>
<label for="email">Your e-mail address</label>
<input id="email" type="email" autocomplete="username" maxlength="254" required>
<button>Send me a link</button>
</form>
</main>`

/** Follows whether the system is light or dark. */
export const style = `:root { color-scheme: light dark; --ink: #1c2024; --paper: #fff; --line: #8b929b; --act: #0b5cad; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --paper: #16191d; --line: #7d8590; --act: #8ab4f8; --bad: #ff9a92; }
}
* { box-sizing: border-box; }
[hidden] { display: none; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 24rem; margin: 0 auto; padding: 12vh 1rem 2rem; }
h1 { margin: 0 0 1.5rem; font-size: 1.5rem; line-height: 1.25; }
form { display: grid; gap: 0.375rem; }
label { font-weight: 600; }
input, button { width: 100%; padding: 0.625rem 0.75rem; border-radius: 0.375rem; font: inherit; }
input { border: 1px solid var(--line); background: transparent; color: inherit; }
#rule { margin: 0 0 0.75rem; font-size: 0.875rem; }
button { margin-top: 1rem; border: 0; background: var(--act); color: var(--paper); font-weight: 600; cursor: pointer; }
button:disabled { opacity: 0.6; cursor: progress; }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
#told:focus { outline: none; }
#wrong { color: var(--bad); font-weight: 600; }`

/** The token is taken out of the address at once, so that it stands in no history and on no screen. */
export const script = `'use strict'
const of = (id) => document.getElementById(id)
const show = (id, text) => { of(id).textContent = text; of(id).hidden = text === '' }
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
let token = null
const begin = (hasToken) => {
  of('title').textContent = hasToken ? 'Set your password' : 'Get a link for a new password'
  document.title = of('title').textContent
  of('choose').hidden = !hasToken
  of('ask').hidden = hasToken
}
const take = () => {
  token = new URLSearchParams(location.hash.slice(1)).get('token')
  history.replaceState(null, '', location.pathname)
  show('wrong', '')
  show('told', '')
  begin(token !== null)
}
const send = async (form, path, body) => {
  const button = form.querySelector('button')
  button.disabled = true
  show('wrong', '')
  show('told', '')
  try {
    const headers = body ? { 'content-type': 'application/json' } : {}
    const answer = await fetch('api/v1/' + path, { method: 'POST', headers, body, credentials: 'omit' })
    const told = await answer.json()
    if (answer.ok) {
      form.hidden = true
      form.reset()
      show('told', told.message)
      of('told').focus()
      return null
    }
    show('wrong', told.detail ? sentence(told.detail) : 'The service did not understand this page: load it again.')
    return told.code ?? 'unknown'
  } catch {
    show('wrong', 'The service cannot be reached: try again in a moment.')
    return 'unreachable'
  } finally {
    button.disabled = false
  }
}
of('choose').addEventListener('submit', async (event) => {
  event.preventDefault()
  const password = of('password').value
  if (password !== of('again').value) {
    show('wrong', 'The two passwords are not the same.')
    of('again').focus()
    return
  }
  const code = await send(event.target, 'reset-password/', JSON.stringify({ token, new_password: password }))
  if (code === null) token = null
  if (code === 'invalid_token') {
    begin(false)
    of('email').focus()
  }
})
of('ask').addEventListener('submit', (event) => {
  event.preventDefault()
  void send(event.target, 'password-recovery/' + encodeURIComponent(of('email').value.trim()))
})
// a link that is pasted where the page is open already does not load it again
addEventListener('hashchange', take)
take()`
