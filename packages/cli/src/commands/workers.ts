import type { WorkerEntry } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, dim, printAnswer, shortTime, status } from '../terminal.ts'

/** `service workers list`. */
export async function listWorkers(flags: ClientFlags): Promise<void> {
  const workers = await connect(flags).workers.list()
  const rows = workers.map((worker) => [
    worker.name,
    status(worker.status),
    worker.labels.join(', ') || '-',
    `${worker.calls.filter((call) => call.status !== 'lost').length} of ${worker.parallel}`,
    ...amounts.map(([, key]) => `${worker.free[key]} of ${worker.resources[key]}`),
    oneLine(worker.version, 20),
    shortTime(worker.last_contact_at),
  ])
  const free = amounts.map(([unit]) => `FREE ${unit}`)
  printAnswer(workers, flags.json, () =>
    table(
      ['NAME', 'STATUS', 'LABELS', 'CALLS', ...free, 'VERSION', 'HEARD OF'],
      rows,
      'No worker is attached; make a token for one: service workers token create --help',
    ),
  )
}

/** `service workers show <name>`. */
export async function showWorker(name: string, flags: ClientFlags): Promise<void> {
  // one token may have several connections
  const workers = (await connect(flags).workers.list()).filter((worker) => worker.name === name)
  if (workers.length === 0) {
    throw new CommandFailure(1, `no worker "${name}" is attached\n  see what there is: service workers list`)
  }
  printAnswer(workers, flags.json, () => workers.map(describeWorker).join('\n\n'))
}

/** `service workers pythons`. */
export async function listPythons(flags: ClientFlags): Promise<void> {
  const { pythons } = await connect(flags).workers.resources()
  const rows = pythons.map(({ name, worker, version, path }) => [
    name ?? '-',
    worker,
    version ?? 'does not run',
    path === null ? '-' : oneLine(path, 100),
  ])
  printAnswer(pythons, flags.json, () => table(['NAME', 'WORKER', 'PYTHON', 'PATH'], rows, 'No Python was found.'))
}

/** A worker for people: head line, labels, what it has, its calls. */
export function describeWorker(worker: WorkerEntry): string {
  const { name, labels, version, protocol, platform, python, resources, free, parallel, calls } = worker
  const about = [`version ${version}`, `protocol ${protocol}`, platform, python === null ? '' : `Python ${python}`]
  const head = `${bold(name)}  ${status(worker.status)}  ${dim(oneLine(about.filter((part) => part !== '').join(', '), 200))}`
  if (worker.status === 'needs_upgrade') {
    return `${head}\nrefused ${shortTime(worker.last_contact_at)}: it speaks another protocol than the engine`
  }
  const rows = amounts.map(([unit, key]) => [`  ${unit}`, String(free[key]), String(resources[key])])
  const running = calls.map((call) => [
    `  ${call.flow}`,
    call.node,
    call.run ?? '-',
    status(call.status),
    shortTime(call.started_at),
  ])
  const placed = calls.filter((call) => call.status !== 'lost').length
  return [
    head,
    `labels: ${labels.join(', ') || 'none'}`,
    `attached ${shortTime(worker.attached_at)}, heard of ${shortTime(worker.last_contact_at)}`,
    table(['  ', 'FREE', 'TOTAL'], [...rows, ['  calls', String(parallel - placed), String(parallel)]], ''),
    table(['  FLOW', 'NODE', 'RUN', 'STATUS', 'SINCE'], running, 'no calls'),
  ].join('\n')
}

const amounts = [
  ['CPUS', 'cpus'],
  ['GPUS', 'gpus'],
  ['MB', 'ram_mb'],
] as const
