/** What node code can see of the engine beside which it runs. */
import { access } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory } from './engine-process.ts'

const CANARY = 'canary-of-the-engine-0123456789abcdef'
const PASSWORD = `password-${CANARY}`

/** Its own environment, whatever processes it can read of, and where it works. */
const look = `import glob, os
def run(n):
    seen = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if b"${CANARY}" in file.read(): seen.append(path)
        except OSError:
            pass
    with open(f"/proc/{n}/environ", "rb") as file:
        engine = file.read().decode(errors="replace")
    return {"out": {"environ": dict(os.environ), "seen": seen, "engine": engine, "cwd": os.getcwd(), "files": os.listdir(".")}}
`

interface Seen {
  readonly environ: Record<string, string>
  readonly seen: string[]
  readonly engine: string
  readonly cwd: string
  readonly files: string[]
}

test.runIf(process.platform === 'linux')(
  'node code finds the credentials of the engine in no environment, and works in a folder of its own [T78]',
  async () => {
    using data = new DataDirectory()
    const engine = await data.start({
      SERVICE_SESSION_KEY: `session-${CANARY}`,
      SERVICE_FIRST_SUPERUSER: 'admin@example.org',
      SERVICE_FIRST_SUPERUSER_PASSWORD: PASSWORD,
      FOREIGN_API_KEY: CANARY,
      PLAIN_SETTING: 'plain',
    })
    await publishFlow(engine.client, 'look', pythonFlow(look))
    const { id } = await engine.client.http.runs.submit({ name: 'look', params: { n: engine.child.pid ?? 0 } })
    const run = await engine.client.wait(id)
    expect(run).toMatchObject({ status: 'ok' })
    const { environ, seen, engine: shown, cwd, files } = (run.result ?? {})['out'] as unknown as Seen
    expect(seen).toEqual([])
    expect(shown).toContain('PLAIN_SETTING=plain')
    expect(environ).toMatchObject({ PLAIN_SETTING: 'plain' })
    expect(Object.keys(environ).filter((name) => /TOKEN|KEY|PASSWORD/.test(name))).toEqual([])
    expect(files).toEqual([])
    expect([process.cwd(), data.path]).not.toContain(cwd)
    await expect
      .poll(() =>
        access(cwd).then(
          () => 'there',
          () => 'gone',
        ),
      )
      .toBe('gone')

    // they are hidden, not lost: the engine signs in with them
    const form = new URLSearchParams({ username: 'admin@example.org', password: PASSWORD })
    const signedIn = await fetch(`${engine.baseUrl}/login/access-token`, { method: 'POST', body: form })
    expect(signedIn.status).toBe(200)
    await signedIn.arrayBuffer()
  },
)
