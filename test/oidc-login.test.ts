/** `service login --oidc` against a service and a real provider. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { Browser } from '../packages/api-server/test/auth/oidc/browser.ts'
import { client, openProvider, type RealProvider } from '../packages/api-server/test/auth/oidc/real-provider.ts'
import { begin, ended, runService } from './cli-process.ts'
import { startService, type TestService } from './service.ts'

let provider: RealProvider
let at: TestService
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oidc-login-'))
  provider = await openProvider()
  at = await startService({
    ...client,
    oidcIssuer: provider.issuer,
    oidcName: 'the example',
    oidcAllowedDomains: ['example.org'],
  })
  provider.register(`${at.baseUrl}/login/oidc/callback`)
  provider.people.set('ann', { email: 'ann@example.org', email_verified: true })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Signs in where a command says; `act` is what a browser does at the page where it ends. */
const login = (act: (end: URL) => Promise<void>, ...flags: string[]) =>
  ended(begin(['login', '--url', at.baseUrl, '--oidc', '--no-browser', ...flags], { cwd: folder }), async (child) => {
    let said = ''
    const address = await new Promise<string>((resolve) => {
      child.stderr.on('data', (text: string) => {
        said += text
        const [found] = /http:\S+\/login\/oidc\S+(?=\n)/.exec(said) ?? []
        if (found !== undefined) resolve(found)
      })
    })
    await act(await new Browser().follow(address, (url) => url.hash !== ''))
  })

/** What the page does in a browser, and what it shows at the end. */
async function runPage(end: URL): Promise<{ shown: string; kept: string }> {
  const { hash, pathname, origin } = end
  const page = await (await fetch(end)).text()
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(page) ?? []
  const state = { shown: '', kept: hash }
  const status = {
    set textContent(text: string) {
      state.shown = text
    },
  }
  await runInNewContext(script, {
    URLSearchParams,
    location: { hash, pathname },
    history: { replaceState: (_state: unknown, _title: string, path: string) => void (state.kept = path) },
    document: { querySelector: () => status },
    fetch: (path: string, init: RequestInit) => fetch(new URL(path, end), { ...init, headers: { origin } }),
  })
  return state
}

describe('service login --oidc', () => {
  test('prints where to sign in, takes the code from the browser, and is signed in as somebody by a password is', async () => {
    provider.user = 'ann'
    const pages: object[] = []
    const { code, out, err } = await login(async (end) => void pages.push(await runPage(end)), '--json')
    expect([code, err]).toEqual([0, expect.stringContaining('Sign in by the example in a browser')])
    expect(pages).toEqual([
      { shown: expect.stringContaining('You can close'), kept: expect.stringMatching(/^\/[\w-]+\/$/) },
    ])
    const { file } = JSON.parse(out) as { file: string }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      base_url: at.baseUrl,
      access_token: expect.stringMatching(/^eyJ/),
    })
    const listed = await runService(['flows', 'list', '--json'], { cwd: folder })
    expect([listed.code, listed.out]).toEqual([0, '[]\n'])
  })

  test('says why nobody is signed in, with exit code 3', async () => {
    provider.user = null
    const { code, err } = await login(async (end) => {
      expect((await runPage(end)).shown).toContain('Nobody is signed in')
    })
    expect([code, err]).toEqual([3, expect.stringContaining('the provider has not let you in')])
  })

  test('takes a code of its own page alone', async () => {
    provider.user = 'ann'
    const { code } = await login(async (end) => {
      const hand = async (url: URL | string, headers: Record<string, string>) =>
        (await fetch(url, { method: 'POST', body: 'code=of-somebody-else', headers })).status
      const { origin, href } = end
      expect([
        await hand(href, { origin: 'https://evil.example' }),
        await hand(href, {}),
        await hand(`${origin}/`, { origin }),
        (await fetch(`${origin}/`)).status,
      ]).toEqual([403, 403, 404, 404])
      await runPage(end)
    })
    expect(code).toBe(0)
  })

  test('is refused where the engine has none, and with a password', async () => {
    await using plain = await startService()
    const none = await runService(['login', '--url', plain.baseUrl, '--oidc'], { cwd: folder })
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('has no sign-in by OpenID Connect')])
    const both = await runService(['login', '--url', plain.baseUrl, '--oidc', '--email', 'a@b'], { cwd: folder })
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('cannot be used with')])
    const neither = await runService(['login', '--url', plain.baseUrl], { cwd: folder })
    expect([neither.code, neither.err]).toEqual([2, expect.stringContaining('--email, or --oidc')])
  })
})

test('what nobody has configured is told as such', async () => {
  await using plain = await startService()
  expect(await plain.client.login.methods()).toEqual({ password: true, recovery: false, oidc: null })
  for (const path of ['/login/oidc', '/login/oidc/callback?code=a&state=b']) {
    const answer = await fetch(`${plain.baseUrl}${path}`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([503, null])
  }
})

test('who signs in shows in no log and no answer: neither the client secret nor a code', async () => {
  provider.user = 'ann'
  const { body } = await at.send('GET', '/observability/events?kind=audit')
  expect(JSON.stringify(body)).toContain('user.sign_up')
  expect(JSON.stringify(body)).not.toContain(client.oidcClientSecret)
})
