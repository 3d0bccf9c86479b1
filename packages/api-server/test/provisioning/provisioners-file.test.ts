import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { ProblemError } from '../../src/http/errors.ts'
import { provisionersFile, readProvisioners } from '../../src/provisioning/provisioners-file.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'provisioners-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const profile = { name: 'gpu', cpus: 4, gpus: 1, ram_mb: 16_000, labels: ['gpu'] }
const cluster = {
  type: 'batch_scheduler',
  name: 'uni',
  login: 'ann@login.example.org',
  engine_url: 'wss://flows.example.com/api/v1/workers/attach',
  profiles: [profile],
}

/** What is read of a text, or the refusal of it. */
async function read(text: string) {
  await writeFile(provisionersFile(dataDir), text)
  const env = { RAY_AUTH_TOKEN: 'x', RAY_PASS: 'x' }
  return readProvisioners(provisionersFile(dataDir), env).catch((error: unknown) => error as ProblemError)
}
const withCluster = (more: object) => read(JSON.stringify([{ ...cluster, ...more }]))
const ray = {
  type: 'ray',
  name: 'lab',
  address: 'http://127.0.0.1:8265',
  engine_url: 'wss://flows.example.com/api/v1/workers/attach',
  profiles: [profile],
}
const withRay = (more: object) => read(JSON.stringify([{ ...ray, ...more }]))
const withProfile = (more: object) => withCluster({ profiles: [{ ...profile, ...more }] })

test('a file of provisioners has defaults for what it leaves out [R004, R137, R144]', async () => {
  expect(await read(JSON.stringify([cluster]))).toEqual([
    {
      ...cluster,
      ssh_key: null,
      max_idle_s: 600,
      provision_timeout_s: 900,
      submit_command: ['sbatch'],
      cancel_command: ['scancel'],
      list_command: ['squeue'],
      profiles: [{ ...profile, submit_args: [], prerun: [], max_workers: 1 }],
    },
  ])
})

test('a Ray cluster has defaults, too', async () => {
  expect(await withRay({})).toEqual([
    {
      ...ray,
      token_env: null,
      max_idle_s: 600,
      provision_timeout_s: 900,
      profiles: [{ ...profile, prerun: [], max_workers: 1, resources: {} }],
    },
  ])
})

test('without a file there are no provisioners', async () => {
  expect(await readProvisioners(join(dataDir, 'absent.json'))).toEqual([])
})

test.each([
  ['[', /provisioners\.json: it is no JSON \(.+\): mend it/],
  ['{}', /provisioners\.json: .*list/],
  ['', /it is no JSON/],
  [`[${' '.repeat(1024 * 1024)}]`, /more than 1048576 bytes/],
])('%.10j is refused by the name of the file [R137]', async (text, sentence) => {
  expect(((await read(text)) as Error).message).toMatch(sentence)
})

test('a folder in place of the file is refused', async () => {
  const path = join(dataDir, 'folder.json')
  await mkdir(path)
  await expect(readProvisioners(path)).rejects.toThrow(/folder\.json: it cannot be read \(EISDIR\)/)
})

describe('a refusal names place, value and remedy', () => {
  test.each([
    [{ type: 'kubernetes' }, '/0/type is "kubernetes": use "batch_scheduler" or "ray"'],
    [{ user: 'ann' }, '/0/user is "ann": "user" is not known here'],
    [{ login: undefined }, '/0/login: it is missing; give it a text'],
    [{ name: '-o' }, '/0/name is "-o": use 1 to 100 letters'],
    [{ name: 'a\nb' }, '/0/name is "a\\nb": use 1 to 100 letters'],
    [{ login: '-oProxyCommand=id' }, '/0/login is "-oProxyCommand=id": use an address for ssh'],
    [{ login: 'ann@-oProxyCommand=id' }, '/0/login is "ann@-oProxyCommand=id": use an address for ssh'],
    [{ login: 'a;id' }, '/0/login is "a;id"'],
    [{ login: 'a\nb' }, '/0/login is "a\\nb"'],
    [{ login: 'a\0b' }, '/0/login is "a\\u0000b"'],
    [{ login: '$(id)' }, '/0/login is "$(id)"'],
    [{ ssh_key: '-oProxyCommand=id' }, '/0/ssh_key is "-oProxyCommand=id": use a path'],
    [{ ssh_key: 'a\nb' }, '/0/ssh_key is "a\\nb": use one line'],
    [
      { engine_url: 'https://x/workers/attach' },
      '/0/engine_url is "https://x/workers/attach": use an address that begins',
    ],
    [{ engine_url: 'wss://x/api' }, '/0/engine_url is "wss://x/api": use an address that ends in /workers/attach'],
    [{ engine_url: 'wss://u:p@x/workers/attach' }, 'leave out user and password'],
    [{ engine_url: 'ws://x/workers/attach' }, 'a tunnel to 127.0.0.1'],
    [{ max_idle_s: -1 }, '/0/max_idle_s is -1: give it a number of at least 0'],
    [{ submit_command: [] }, '/0/submit_command is []: give it at least 1 item'],
    [{ submit_command: ['sbatch', '--comment=x'] }, '/0/submit_command/1 is "--comment=x": leave --comment=x out'],
    [{ profiles: [profile, profile] }, '/0/profiles/1/name is "gpu": use a name that no other profile has'],
  ])('of %j [R137, T87]', async (more, sentence) => {
    expect(((await withCluster(more)) as Error).message).toContain(`provisioners.json: `)
    expect(((await withCluster(more)) as Error).message).toContain(sentence)
  })

  test.each([
    [{ gpu: 1 }, '/0/profiles/0/gpu is 1: "gpu" is not known here'],
    [{ cpus: 0 }, '/0/profiles/0/cpus is 0: give it a number of more than 0'],
    [{ labels: [] }, '/0/profiles/0/labels is []: give at least one label'],
    [{ labels: ['a b'] }, '/0/profiles/0/labels/0 is "a b"'],
    [{ labels: ['$(id)'] }, '/0/profiles/0/labels/0 is "$(id)"'],
    [{ labels: ['engine'] }, '/0/profiles/0/labels/0 is "engine"'],
    [{ name: 'a"b' }, '/0/profiles/0/name is "a\\"b"'],
    [{ name: 'x'.repeat(90) }, 'use at most 90 characters'],
    [{ submit_args: ['a\nb'] }, '/0/profiles/0/submit_args/0 is "a\\nb": use one line'],
    [
      { submit_args: ['-p', 'main', '--array=1-9'] },
      '/0/profiles/0/submit_args/2 is "--array=1-9": leave --array=1-9 out',
    ],
    [{ submit_args: ['--comment', 'x'] }, 'leave --comment out'],
    [{ submit_args: ['--comm=x'] }, 'leave --comm=x out'],
    [{ submit_args: ['--clusters=b'] }, 'leave --clusters=b out: give it to submit_command'],
    [{ submit_args: ['-Mb'] }, 'leave -Mb out: give it to submit_command'],
    [{ prerun: ['id\0'] }, '/0/profiles/0/prerun/0 is "id\\u0000": use one line'],
    [{ prerun: ['a\nb'] }, '/0/profiles/0/prerun/0 is "a\\nb": use one line'],
    [{ max_workers: 0 }, '/0/profiles/0/max_workers is 0'],
  ])('of a profile with %j [R144, T87]', async (more, sentence) => {
    expect(((await withProfile(more)) as Error).message).toContain(sentence)
  })

  test.each([
    [{ address: undefined }, '/0/address: it is missing'],
    [{ address: 'lab' }, '/0/address is "lab": use an address that begins with https:// or http://'],
    [{ address: 'ftp://lab' }, '/0/address is "ftp://lab": use an address that begins'],
    [{ address: 'http://lab:8265' }, '/0/address is "http://lab:8265": use https://, or a tunnel to 127.0.0.1'],
    [{ address: 'https://u:p@lab' }, 'leave out user and password'],
    [{ address: 'https://lab/?x' }, 'use an address with nothing after its path'],
    [{ token_env: 'A B' }, '/0/token_env is "A B": use the name of a variable'],
    [{ token_env: 'ABSENT_TOKEN' }, '/0/token_env is "ABSENT_TOKEN": set this variable in the environment'],
    [{ token_env: 'RAY_PASS' }, '/0/token_env is "RAY_PASS": use a name that has TOKEN or SECRET in it'],
    [{ login: 'ann@login' }, '/0/login is "ann@login": "login" is not known here'],
    [{ engine_url: 'ws://x/workers/attach' }, 'a tunnel to 127.0.0.1'],
    [{ profiles: [{ ...profile, submit_args: [] }] }, '"submit_args" is not known here'],
    [{ profiles: [{ ...profile, resources: { GPU: 1 } }] }, 'use the name of a custom resource'],
    [{ profiles: [{ ...profile, resources: { 'a b': 1 } }] }, 'use the name of a custom resource'],
    [{ profiles: [{ ...profile, resources: { TPU: 0 } }] }, '/0/profiles/0/resources/TPU is 0'],
    [{ profiles: [{ ...profile, name: 'a;id' }] }, '/0/profiles/0/name is "a;id"'],
    [{ profiles: [{ ...profile, prerun: ['a\nb'] }] }, '/0/profiles/0/prerun/0 is "a\\nb": use one line'],
  ])('of Ray with %j [T87]', async (more, sentence) => {
    expect(((await withRay(more)) as Error).message).toContain(sentence)
  })

  test('and counts the others, which a program finds by their pointers', async () => {
    const fault = (await withProfile({ cpus: 'x', gpus: -1 })) as ProblemError
    expect(fault.message).toMatch(/ \(and 1 more\)$/)
    expect(fault.extensions['errors']).toMatchObject([{ path: '/0/profiles/0/cpus' }, { path: '/0/profiles/0/gpus' }])
  })

  test('and two provisioners of one name', async () => {
    const fault = (await read(JSON.stringify([cluster, cluster]))) as ProblemError
    expect(fault.message).toContain('/1/name is "uni": use a name that no other provisioner has')
  })
})

test.each(['https://lab.example/ray/', 'http://localhost:8265', 'http://[::1]:8265'])(
  'a dashboard such as %s is taken as it is',
  async (address) => {
    expect(await withRay({ address, token_env: 'RAY_AUTH_TOKEN' })).toMatchObject([{ address }])
  },
)

test.each([
  'login.example.org',
  'ann@login',
  'ann@uni.example@login',
  'ssh://ann@login:2222',
  'ann@[::1]',
  'ann@fe80::1',
  '10.0.0.1',
])('an address such as %s is taken as it is [R139]', async (login) => {
  expect(await withCluster({ login })).toMatchObject([{ login }])
})
