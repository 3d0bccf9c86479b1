/** The cases of provisioners on a real Slurm behind a real `ssh`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe } from 'vitest'

import { hasSlurm, startSlurm } from './components/slurm.ts'
import type { RealCluster } from './provisioned-site.ts'
import { provisionerCases } from './provisioner-suite.ts'

async function open(): Promise<RealCluster> {
  const { directory, login, key, env, queue, ...cluster } = await startedSlurm()
  const program = (name: string, script: string): string => {
    const path = join(directory, 'bin', name)
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return path
  }
  return {
    ...cluster,
    directory,
    env,
    settings: { type: 'batch_scheduler', login, ssh_key: key },
    profile: (name) => ({ submit_args: ['-o', join(directory, `${name}.out`)] }),
    jobs: async (profile) => {
      const own = (await queue()).filter(({ name }) => name === `service-${profile}`)
      return [...new Set(own.map(({ id }) => id.replace(/_.*/, '')))]
    },
    dropsWaiting: true,
    refused: {
      profile: { submit_args: ['--cpus-per-task=64'] },
      words: 'More processors requested than permitted',
    },
    deafSettings: { submit_command: [program('sbatch-deaf', 'sbatch "$@" >/dev/null && exec sleep 600')] },
    slowSettings: { cancel_command: [program('scancel-slow', 'exec sleep 600')] },
  }
}

async function startedSlurm() {
  const cluster = await startSlurm({ cpus: 4 })
  return {
    directory: cluster.directory,
    login: cluster.login,
    key: cluster.key,
    env: { PATH: cluster.env.PATH },
    queue: () => cluster.queue(),
    hold: () => cluster.hold(),
    release: () => cluster.release(),
    stop: () => cluster.stop(),
  }
}

describe.skipIf(!hasSlurm())('Slurm', () => {
  provisionerCases('batch_scheduler', open)
})
