import { setTimeout as pause } from 'node:timers/promises'

import type { ProvisionerState, ProvisionerTest } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, printAnswer, shortTime, status } from '../terminal.ts'

/** Between two looks at a test. */
const LOOK_MS = 500

/** `service provisioners list`. */
export async function listProvisioners(flags: ClientFlags): Promise<void> {
  const { provisioners } = await connect(flags).workers.resources()
  printProvisioners(provisioners, flags)
}

/** `service provisioners reload`. */
export async function reloadProvisioners(flags: ClientFlags): Promise<void> {
  printProvisioners(await connect(flags).workers.provisioners.reload(), flags)
}

/** `service provisioners test <provisioner> <profile>`: each step as soon as it is known. */
export async function testProvisioner(name: string, profile: string, flags: ClientFlags): Promise<void> {
  const { provisioners } = connect(flags).workers
  const { test } = await provisioners.test(name, profile)
  let told = 0
  let trial: ProvisionerTest
  for (;;) {
    trial = await provisioners.readTest(test)
    if (!flags.json) for (const step of trial.steps.slice(told)) console.log(describeStep(step))
    told = trial.steps.length
    if (trial.state !== 'running') break
    await pause(LOOK_MS)
  }
  if (flags.json) console.log(JSON.stringify(trial, null, 2))
  if (trial.state === 'failed') throw new CommandFailure(1, `no worker of ${name} ${profile} could do its work`)
}

function printProvisioners(provisioners: readonly ProvisionerState[], { json }: ClientFlags): void {
  const rows = provisioners.flatMap(({ name, error, profiles }) =>
    profiles.map((profile) => [
      name,
      profile.name,
      status(profile.state),
      profile.labels.join(', '),
      `${profile.cpus} CPUs, ${profile.gpus} GPUs, ${profile.ram_mb} MB`,
      profile.job ?? '-',
      shortTime(profile.requested_at),
      oneLine(profile.error ?? error ?? '', 240),
    ]),
  )
  const header = ['PROVISIONER', 'PROFILE', 'STATE', 'LABELS', 'OFFERS', 'JOB', 'ASKED FOR', '']
  const none = 'There are none: write provisioners.json in the data directory of the engine, then reload.'
  printAnswer(provisioners, json, () => table(header, rows, none))
}

const describeStep = ({ step, ok, detail, at }: ProvisionerTest['steps'][number]): string =>
  `${shortTime(at)}  ${bold(step.padEnd(9))}  ${status(ok ? 'ok' : 'failed')}  ${oneLine(detail, 500)}`
