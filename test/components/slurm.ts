/**
 * Starts a real Slurm with a login node for tests: munge, the controller, one node, and an SSH server, all of an ordinary
 * user, on free ports of 127.0.0.1, in a temporary directory. The node has as many processors as is said, whatever the
 * machine has.
 * @module
 */
import { type ChildProcess, execFileSync, spawn, type SpawnOptions } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { freePort } from './free-port.ts'
import { killProcessesWith } from './processes-of.ts'

/** What a command has left behind. */
interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A job of the queue, or a task of an array. */
export interface SlurmJob {
  /** Such as `7`, `7_2` of a task, or `7_[2-4]` of tasks that wait. */
  readonly id: string
  readonly name: string
  /** As `squeue` writes it: `PENDING`, `RUNNING`, `COMPLETING`. */
  readonly state: string
  readonly comment: string
}

/** A running cluster. */
export interface SlurmCluster {
  /** A folder of the cluster's user that everybody may read; the programs of its `bin` are on no path. */
  readonly directory: string
  /** Name of the login node for `ssh`. */
  readonly login: string
  /** File of the private key that signs in. */
  readonly key: string
  /** For processes that call `ssh`: theirs is the system's, and finds the login node and its key. */
  readonly env: { readonly PATH: string }
  /** Executes a command on the login node. */
  ssh(command: string, input?: string): Promise<Ended>
  /** Jobs that are not over. */
  queue(): Promise<SlurmJob[]>
  /** Lets no further job begin; those that run go on. */
  hold(): Promise<void>
  release(): Promise<void>
  /** Ends everything, jobs too, and removes the files. */
  stop(): Promise<void>
}

const NEEDED = { munged: 'munge', slurmctld: 'slurm-wlm', sshd: 'openssh-server', ssh: 'openssh-client' }
/** Debian installs servers where only the administrator's PATH looks. */
const PLACES = ['/usr/sbin', '/usr/local/sbin', ...(process.env['PATH'] ?? '').split(path.delimiter)]
const isRoot = process.getuid?.() === 0
/** As whom the cluster runs where the tests run as root: servers of root would ask for other users' keys. */
const SERVANT = 'postgres'
/** Files in place of devices; the cluster only counts them. */
const GPUS = 2
const LIMIT_MS = 60_000

const find = (program: string): string | undefined =>
  PLACES.map((directory) => path.join(directory, program)).find((file) => fs.existsSync(file))

/** Whether tests can use a cluster; says so once for a whole run. Throws without one where `CI` is set. */
export function hasSlurm(): boolean {
  const absent = Object.entries(NEEDED).find(([program]) => find(program) === undefined)
  const [what, from] = absent ?? (isRoot && userOf(SERVANT) === null ? [`user ${SERVANT}`, 'postgresql'] : [])
  if (what === undefined) return true
  const missing = `${what} not found (apt-get install ${from})`
  if (process.env['CI']) throw new Error(`${missing}, and CI must not skip it`)
  console.log(`skipped: ${missing}`)
  return false
}

interface User {
  readonly name: string
  readonly ids: { readonly uid?: number; readonly gid?: number }
}

function userOf(name: string): User | null {
  const line = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined ? null : { name, ids: { uid: Number(uid), gid: Number(gid) } }
}

/** What is told to a starter. */
export interface SlurmOptions {
  /** Processors of the node, four unless given. */
  readonly cpus?: number
}

/** Starts a cluster, and waits until it takes jobs. */
export async function startSlurm({ cpus = 4 }: SlurmOptions = {}): Promise<SlurmCluster> {
  const user = (isRoot ? userOf(SERVANT) : null) ?? { name: os.userInfo().username, ids: {} }
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'flow-service-slurm-'))
  fs.chmodSync(root, 0o755)
  const cluster = new Cluster(root, user)
  try {
    await cluster.start(cpus)
    return cluster
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

class Cluster implements SlurmCluster {
  readonly login = 'cluster'
  readonly directory: string
  readonly key: string
  readonly env: { readonly PATH: string }
  readonly #root: string
  readonly #client: string
  readonly #user: User
  readonly #conf: string
  readonly #servers: ChildProcess[] = []

  constructor(root: string, user: User) {
    this.#root = root
    this.#user = user
    this.#client = path.join(root, 'client')
    this.directory = path.join(root, 'cluster')
    this.key = path.join(this.#client, 'key')
    this.#conf = path.join(this.directory, 'slurm.conf')
    this.env = { PATH: [path.join(this.#client, 'bin'), process.env['PATH']].join(path.delimiter) }
  }

  async start(cpus: number): Promise<void> {
    const { uid, gid } = this.#user.ids
    for (const name of ['', 'munge', 'state', 'spool', 'ssh', 'bin']) fs.mkdirSync(path.join(this.directory, name))
    await this.#writeSlurm(cpus)
    const port = await this.#writeSsh()
    if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, this.directory])
    const munge = ['key', 'socket', 'pid', 'log', 'seed'].map((name) => `--${name}-file=${this.#munge(name)}`)
    this.#serve('munged', ['-F', '--force', ...munge.map((each) => each.replace('--socket-file', '--socket'))])
    await this.#until('munged listens', () => fs.existsSync(this.#munge('socket')))
    this.#serve('slurmctld', ['-D', '-c', '-f', this.#conf])
    this.#serve('slurmd', ['-D', '-f', this.#conf])
    this.#serve('sshd', ['-D', '-e', '-f', path.join(this.directory, 'ssh', 'config')])
    await this.#until(`sshd takes commands on port ${port}, and the node is idle`, async () => {
      const { out } = await this.ssh('sinfo --noheader --format %T')
      return out === 'idle\n'
    })
  }

  ssh(command: string, input = ''): Promise<Ended> {
    return run(path.join(this.#client, 'bin', 'ssh'), ['-o', 'BatchMode=yes', this.login, command], input)
  }

  async queue(): Promise<SlurmJob[]> {
    const { code, out, err } = await this.ssh(`squeue --noheader --format '%i|%j|%T|%k'`)
    if (code !== 0) throw new Error(`squeue ended with ${code}: ${err}`)
    return out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [id = '', name = '', state = '', comment = ''] = line.split('|')
        return { id, name, state, comment }
      })
  }

  async hold(): Promise<void> {
    await this.#control('update partitionname=main state=down')
  }

  async release(): Promise<void> {
    await this.#control('update partitionname=main state=up')
  }

  async stop(): Promise<void> {
    for (const server of this.#servers.toReversed()) await ended(server)
    // a job is no child of the servers; what it runs carries the path of the configuration, and may be starting more
    killProcessesWith(this.#conf)
    fs.rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 })
  }

  async #control(command: string): Promise<void> {
    const { code, err } = await this.ssh(`scontrol ${command}`)
    if (code !== 0) throw new Error(`scontrol ${command} ended with ${code}: ${err}`)
  }

  #munge(name: string): string {
    return path.join(this.directory, 'munge', name)
  }

  async #writeSlurm(cpus: number): Promise<void> {
    const [host = ''] = os.hostname().split('.')
    const [controller, node] = [await freePort(), await freePort()]
    fs.chmodSync(path.join(this.directory, 'munge'), 0o700)
    fs.writeFileSync(this.#munge('key'), randomBytes(128), { mode: 0o600 })
    const at = (name: string): string => path.join(this.directory, name)
    const lines = [
      'ClusterName=loop',
      `SlurmctldHost=${host}(127.0.0.1)`,
      `SlurmUser=${this.#user.name}`,
      `SlurmdUser=${this.#user.name}`,
      `SlurmctldPort=${controller}`,
      `SlurmdPort=${node}`,
      'AuthType=auth/munge',
      `AuthInfo=socket=${this.#munge('socket')}`,
      'CredType=cred/munge',
      'CommunicationParameters=NoCtldInAddrAny,NoInAddrAny',
      `StateSaveLocation=${at('state')}`,
      `SlurmdSpoolDir=${at('spool')}`,
      `SlurmctldPidFile=${at('slurmctld.pid')}`,
      `SlurmdPidFile=${at('slurmd.pid')}`,
      `SlurmctldLogFile=${at('slurmctld.log')}`,
      `SlurmdLogFile=${at('slurmd.log')}`,
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
      'JobAcctGatherType=jobacct_gather/none',
      'SelectType=select/cons_tres',
      'SelectTypeParameters=CR_Core_Memory',
      // it has what is written here, and not what the machine has
      'SlurmdParameters=config_overrides',
      'SchedulerParameters=sched_interval=1,batch_sched_delay=0',
      // else what no node can do waits for ever
      'EnforcePartLimits=ALL',
      // of a job that asks for none
      'DefMemPerCPU=100',
      'GresTypes=gpu',
      'MpiDefault=none',
      'ReturnToService=2',
      'KillWait=2',
      `NodeName=${host} NodeAddr=127.0.0.1 CPUs=${cpus} RealMemory=${cpus * 1000} Gres=gpu:${GPUS} State=UNKNOWN`,
      'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP',
    ]
    fs.writeFileSync(this.#conf, `${lines.join('\n')}\n`)
    fs.writeFileSync(at('cgroup.conf'), 'CgroupPlugin=cgroup/v1\n')
    const cards = Array.from({ length: GPUS }, (_, card) => at(`gpu${card}`))
    for (const file of cards) fs.writeFileSync(file, '')
    fs.writeFileSync(at('gres.conf'), cards.map((file) => `Name=gpu File=${file}\n`).join(''))
  }

  /** Keys and configurations of both sides; the client's are of the user of the test. */
  async #writeSsh(): Promise<number> {
    const port = await freePort()
    const server = (name: string): string => path.join(this.directory, 'ssh', name)
    const client = (name: string): string => path.join(this.#client, name)
    fs.mkdirSync(client('bin'), { recursive: true })
    for (const file of [server('host'), this.key])
      execFileSync(find('ssh-keygen') ?? '', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file])
    fs.renameSync(`${this.key}.pub`, server('authorized'))
    const serving = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${server('host')}`,
      `PidFile ${server('pid')}`,
      `AuthorizedKeysFile ${server('authorized')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      // a test may have many connections begin at a time
      'MaxStartups 100',
      `SetEnv SLURM_CONF=${this.#conf}`,
    ]
    fs.writeFileSync(server('config'), serving.join('\n'))
    const calling = [
      `Host ${this.login}`,
      'HostName 127.0.0.1',
      `Port ${port}`,
      `User ${this.#user.name}`,
      `IdentityFile ${this.key}`,
      'IdentitiesOnly yes',
      'StrictHostKeyChecking yes',
      `HostKeyAlias ${this.login}`,
      `UserKnownHostsFile ${client('hosts')}`,
    ]
    fs.writeFileSync(client('config'), calling.join('\n'))
    fs.writeFileSync(client('hosts'), `${this.login} ${fs.readFileSync(`${server('host')}.pub`, 'utf8')}`)
    const wrapper = `#!/bin/sh\nexec ${find('ssh')} -F ${client('config')} "$@"\n`
    fs.writeFileSync(client('bin/ssh'), wrapper, { mode: 0o755 })
    return port
  }

  #serve(program: string, args: readonly string[]): void {
    const options: SpawnOptions = {
      ...this.#user.ids,
      cwd: this.directory,
      env: { PATH: PLACES.join(path.delimiter), HOME: this.directory, SLURM_CONF: this.#conf },
      stdio: ['ignore', 'ignore', fs.openSync(path.join(this.directory, `${program}.err`), 'a')],
    }
    const server = spawn(find(program) ?? program, args, options)
    fs.closeSync((options.stdio as number[])[2] as number)
    this.#servers.push(server)
  }

  async #until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const untilMs = Date.now() + LIMIT_MS
    while (!(await isSo())) {
      const gone = this.#servers.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)
      if (gone || Date.now() > untilMs) {
        throw new Error(
          `not so within ${LIMIT_MS} ms: ${what}${gone ? `; ${gone.spawnfile} has ended` : ''}\n${this.#said()}`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  #said(): string {
    const logs = fs.readdirSync(this.directory).filter((name) => /\.(?:err|log)$/.test(name))
    return logs
      .map((name) => `${name}:\n${fs.readFileSync(path.join(this.directory, name), 'utf8').slice(-2000)}`)
      .join('\n')
  }
}

function run(program: string, args: readonly string[], input: string): Promise<Ended> {
  const child = spawn(program, args)
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  // it may end before it has read
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out, err }))
  })
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
