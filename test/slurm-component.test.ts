/** The cluster that tests of provisioning submit to: what they rely on, without an engine. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { hasSlurm, type SlurmCluster, startSlurm } from './components/slurm.ts'

describe.skipIf(!hasSlurm())('the cluster of the tests', () => {
  let cluster: SlurmCluster
  beforeAll(async () => {
    cluster = await startSlurm()
  })
  afterAll(() => cluster.stop())

  /** Submits a script on standard input; resolves with its number. */
  async function submit(script: string, ...args: string[]): Promise<string> {
    const { code, out, err } = await cluster.ssh(
      `sbatch --parsable -o /dev/null ${args.join(' ')}`,
      `#!/bin/bash\n${script}\n`,
    )
    expect([code, err]).toEqual([0, ''])
    return out.trim()
  }

  /** By job: a task that waits is in brackets until the cluster has looked at it. */
  const states = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await cluster.queue()).map(({ id, state }) => [id.replaceAll(/[[\]]/g, ''), state]))

  /** Ends all jobs. */
  async function clear(): Promise<void> {
    await cluster.ssh('scancel --me --full')
    await expect.poll(states).toEqual({})
  }

  test('executes a script that comes on standard input, as its own user, and shows it in the queue by its comment', async () => {
    await cluster.hold()
    const place = join(cluster.directory, 'written')
    const job = await submit(
      `id -un > ${place}.new && mv ${place}.new ${place}`,
      '--comment=service:abc',
      '--job-name=service-small',
    )
    expect(await cluster.queue()).toEqual([
      { id: job, name: 'service-small', state: 'PENDING', comment: 'service:abc' },
    ])
    expect((await cluster.ssh(`squeue --me -h -o '%i|%k'`)).out).toBe(`${job}|service:abc\n`)
    await cluster.release()
    await expect.poll(() => existsSync(place)).toBe(true)
    expect(readFileSync(place, 'utf8')).toBe((await cluster.ssh('id -un')).out)
    await expect.poll(states).toEqual({})
  })

  test('runs four tasks of an array at a time, whatever this machine has', async () => {
    const job = await submit('sleep 600', '--array=1-5', '-c', '1')
    const running = Object.fromEntries([1, 2, 3, 4].map((task) => [`${job}_${task}`, 'RUNNING']))
    await expect.poll(states).toEqual({ ...running, [`${job}_5`]: 'PENDING' })
    await clear()
  })

  test('cancels what runs and what waits, and tells a job what it was given', async () => {
    const place = join(cluster.directory, 'told')
    const running = await submit(
      `echo $SLURM_JOB_ID $SLURM_CPUS_PER_TASK $SLURM_MEM_PER_NODE $SLURM_GPUS_ON_NODE > ${place}.new; mv ${place}.new ${place}; sleep 600`,
      '-c 2 --mem=300 --gres=gpu:1',
    )
    await expect.poll(() => existsSync(place)).toBe(true)
    expect(readFileSync(place, 'utf8')).toBe(`${running} 2 300 1\n`)
    const waiting = await submit('sleep 600', '-c 4')
    expect(await states()).toMatchObject({ [waiting]: 'PENDING' })
    for (const job of [waiting, running]) expect((await cluster.ssh(`scancel ${job}`)).code).toBe(0)
    await expect.poll(states).toEqual({})
  })

  test('refuses what it cannot give, in words', async () => {
    const { code, out, err } = await cluster.ssh('sbatch --parsable -c 64', '#!/bin/bash\ntrue\n')
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('More processors requested than permitted')
    // what is over is none of its business
    expect(await cluster.ssh('scancel 4711')).toEqual({ code: 0, out: '', err: '' })
  })

  test('ends with all that it has started', async () => {
    const other = await startSlurm({ cpus: 1 })
    await other.ssh('sbatch -o /dev/null', '#!/bin/bash\nsleep 600 & setsid sleep 600 & wait\n')
    await expect.poll(async () => (await other.queue()).map(({ state }) => state)).toEqual(['RUNNING'])
    await other.stop()
    expect(existsSync(other.directory)).toBe(false)
    const left = readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(other.directory)
      } catch {
        return false
      }
    })
    expect(left).toEqual([])
  })
})
