import { describe, expect, test } from 'vitest'

import { InvalidOption } from '../src/index.ts'
import { detectResources, type Machine, thisMachine } from '../src/remote/resources.ts'

/** A machine with 8 processors, 16 GiB, and these variables and files. */
const machine = (env: Record<string, string>, files: Record<string, string> = {}): Machine => ({
  env,
  cpus: 8,
  ramMb: 16_384,
  read: (path) => files[path] ?? null,
  list: (folder) =>
    Object.keys(files)
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''),
})
const group = { '/proc/self/cgroup': '0::/jobs/a\n' }

test('without anything else the host is told [R593, R595]', () => {
  expect(detectResources(machine({}))).toEqual({ cpus: 8, gpus: 0, ram_mb: 16_384 })
})

test('the machine of the test has processors and memory', () => {
  const { cpus, ram_mb } = detectResources(thisMachine())
  expect([cpus > 0, ram_mb > 100]).toEqual([true, true])
})

describe('processors and memory', () => {
  test.each([
    ['a task', { SLURM_CPUS_PER_TASK: '2', SLURM_CPUS_ON_NODE: '4', SLURM_MEM_PER_NODE: '2048' }, 2, 2048],
    ['a node', { SLURM_CPUS_ON_NODE: '4', SLURM_MEM_PER_NODE: '0' }, 4, 16_384],
    ['each CPU', { SLURM_CPUS_ON_NODE: '4', SLURM_MEM_PER_CPU: '500' }, 4, 2000],
    ['nonsense', { SLURM_CPUS_ON_NODE: '4(x2)', SLURM_MEM_PER_NODE: '2G' }, 8, 16_384],
  ])('of %s are those that the scheduler gave [R602]', (_, env, cpus, ram_mb) => {
    expect(detectResources(machine(env))).toMatchObject({ cpus, ram_mb })
  })

  test('are no more than any control group allows [R602]', () => {
    const files = {
      ...group,
      '/sys/fs/cgroup/jobs/a/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/jobs/cpu.max': '150000 100000\n',
      '/sys/fs/cgroup/jobs/a/memory.max': String(1024 ** 3),
      '/sys/fs/cgroup/memory.max': 'max\n',
    }
    expect(detectResources(machine({}, files))).toMatchObject({ cpus: 1.5, ram_mb: 1024 })
    const scheduled = { SLURM_CPUS_PER_TASK: '2', SLURM_MEM_PER_NODE: '2048' }
    expect(detectResources(machine(scheduled, files))).toMatchObject({ cpus: 2, ram_mb: 2048 })
  })

  test('of a container are in the root of what it sees, and never more than the host has', () => {
    const files = {
      '/proc/self/cgroup': '0::/\n',
      '/sys/fs/cgroup/cpu.max': '9900000 100000\n',
      '/sys/fs/cgroup/memory.max': String(512 * 1024 ** 2),
    }
    expect(detectResources(machine({}, files))).toMatchObject({ cpus: 8, ram_mb: 512 })
  })
})

describe('GPUs', () => {
  const nvidia = { '/dev/nvidia0': '', '/dev/nvidia1': '', '/dev/nvidiactl': '', '/dev/nvidia-uvm': '' }
  const topology = '/sys/class/kfd/kfd/topology/nodes'

  test.each([
    [{ SLURM_JOB_GPUS: '0,2-4', SLURM_GPUS_ON_NODE: '1' }, 4],
    [{ SLURM_GPUS_ON_NODE: '1', CUDA_VISIBLE_DEVICES: '0,1,2' }, 1],
    [{ CUDA_VISIBLE_DEVICES: '0,1,2', SERVICE_WORKER_GPUS: '7' }, 3],
    [{ CUDA_VISIBLE_DEVICES: 'GPU-8932f937,MIG-GPU-1/0/0' }, 2],
    [{ CUDA_VISIBLE_DEVICES: '', SERVICE_WORKER_GPUS: '7' }, 0],
    [{ CUDA_VISIBLE_DEVICES: '1,-1,0' }, 1],
    [{ CUDA_VISIBLE_DEVICES: 'NoDevFiles' }, 0],
    [{ SERVICE_WORKER_GPUS: '7' }, 7],
    [{ SERVICE_WORKER_GPUS: '0' }, 0],
    [{}, 2],
  ])('with %j there are %i beside two devices [R603] [R001]', (env, gpus) => {
    expect(detectResources(machine(env, nvidia)).gpus).toBe(gpus)
  })

  test("of AMD are those of the driver's nodes that are no processor [R603]", () => {
    const files = { '/dev/kfd': '', [`${topology}/0/gpu_id`]: '0\n', [`${topology}/1/gpu_id`]: '51234\n' }
    expect(detectResources(machine({}, files)).gpus).toBe(1)
  })

  test('a variable of ours that is no number is said, not guessed', () => {
    expect(() => detectResources(machine({ SERVICE_WORKER_GPUS: 'two' }))).toThrow(InvalidOption)
  })
})

test('what is given beats all that is found, and 0 GPUs are none [R604] [R594]', () => {
  const env = { SLURM_CPUS_PER_TASK: '2', SLURM_MEM_PER_NODE: '2048', SERVICE_WORKER_GPUS: '3' }
  const given = { cpus: 3, gpus: 0, ram_mb: 100 }
  expect(detectResources(machine(env, { '/dev/nvidia0': '' }), given)).toEqual(given)
  expect(detectResources(machine(env), { cpus: 3 })).toEqual({ cpus: 3, gpus: 3, ram_mb: 2048 })
})
