/**
 * What a worker has to offer. In this order: what it is told, what a batch scheduler gave its job, what its control group
 * allows, what the machine has (wire decision G58).
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'

import type { Resources } from '../options.ts'
import { InvalidOption } from './invalid-option.ts'

const MIB = 1024 * 1024

/** Where detection looks. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cpus: number
  /** In MiB. */
  readonly ramMb: number
  /** The text of a file; null when there is none. */
  read(path: string): string | null
  /** Names in a folder; none when there is no such folder. */
  list(folder: string): string[]
}

/** The machine that this process runs on. */
export const thisMachine = (env: Machine['env'] = process.env): Machine => ({
  env,
  cpus: availableParallelism(),
  ramMb: Math.floor(totalmem() / MIB),
  read: (path) => orNone(() => readFileSync(path, 'utf8')) ?? null,
  list: (folder) => orNone(() => readdirSync(folder)) ?? [],
})

/** All resources; those that are given are taken as they are. Throws an {@link InvalidOption} for `SERVICE_WORKER_GPUS`. */
export function detectResources(machine: Machine, given: Partial<Resources> = {}): Resources {
  return {
    cpus: given.cpus ?? cpusOf(machine),
    gpus: given.gpus ?? gpusOf(machine),
    ram_mb: given.ram_mb ?? ramOf(machine),
  }
}

function cpusOf(machine: Machine): number {
  return scheduledCpus(machine) ?? Math.min(machine.cpus, ...groupsOf(machine).map(cpuQuota))
}

function ramOf(machine: Machine): number {
  return scheduledRam(machine) ?? Math.min(machine.ramMb, ...groupsOf(machine).map(memoryLimit))
}

function gpusOf(machine: Machine): number {
  const { env } = machine
  return (
    listed(env['SLURM_JOB_GPUS']) ??
    count(env['SLURM_GPUS_ON_NODE']) ??
    visible(env['CUDA_VISIBLE_DEVICES']) ??
    named(env['SERVICE_WORKER_GPUS']) ??
    deviceNodes(machine)
  )
}

const scheduledCpus = ({ env }: Machine): number | null =>
  positive(env['SLURM_CPUS_PER_TASK']) ?? positive(env['SLURM_CPUS_ON_NODE'])

/** In MB. Slurm writes 0 for all memory of a node. */
function scheduledRam(machine: Machine): number | null {
  const perNode = positive(machine.env['SLURM_MEM_PER_NODE'])
  const perCpu = positive(machine.env['SLURM_MEM_PER_CPU'])
  return perNode ?? (perCpu === null ? null : perCpu * cpusOf(machine))
}

/** Control groups of version 2 that hold this process, the innermost first: each of them limits it. */
function groupsOf(machine: Machine): { readonly machine: Machine; readonly folder: string }[] {
  const own = /^0::(\/.*)$/m.exec(machine.read('/proc/self/cgroup') ?? '')?.[1]
  if (own === undefined) return []
  const names = own.split('/').filter((name) => name !== '' && name !== '..')
  return names
    .map((_, at) => names.slice(0, names.length - at))
    .concat([[]])
    .map((path) => ({ machine, folder: ['/sys/fs/cgroup', ...path].join('/') }))
}

type Group = ReturnType<typeof groupsOf>[number]

/** `cpu.max` is a share of a period, in microseconds: `150000 100000` is one and a half processors. */
function cpuQuota({ machine, folder }: Group): number {
  const [quota, period] = (machine.read(`${folder}/cpu.max`) ?? '').trim().split(' ').map(Number)
  return quota && period ? quota / period : Number.POSITIVE_INFINITY
}

function memoryLimit({ machine, folder }: Group): number {
  const bytes = Number((machine.read(`${folder}/memory.max`) ?? 'max').trim())
  return bytes > 0 ? Math.floor(bytes / MIB) : Number.POSITIVE_INFINITY
}

/** Members of a list such as `0,2-3`; null without one. */
function listed(text: string | undefined): number | null {
  if (text === undefined || text.trim() === '') return null
  return text.split(',').reduce((sum, part) => {
    const [, from, to] = /^(\d+)-(\d+)$/.exec(part.trim()) ?? []
    return sum + (from === undefined ? 1 : Math.max(0, Number(to) - Number(from) + 1))
  }, 0)
}

/** CUDA sees the devices before the first one that is none: an empty list, `-1` and a word like `NoDevFiles` hide all. */
function visible(text: string | undefined): number | null {
  if (text === undefined) return null
  const devices = text.split(',').map((part) => part.trim())
  const end = devices.findIndex((device) => !/^(?:\d+|(?:GPU|MIG)-.+)$/.test(device))
  return end === -1 ? devices.length : end
}

function named(text: string | undefined): number | null {
  if (text === undefined || text.trim() === '') return null
  const gpus = count(text)
  if (gpus === null) throw new InvalidOption('SERVICE_WORKER_GPUS is a number of GPUs: a whole number, 0 for none')
  return gpus
}

/** Devices of NVIDIA's driver, and those that AMD's compute driver lists with an id; processors have the id 0 there. */
function deviceNodes(machine: Machine): number {
  const names = machine.list('/dev')
  const nvidia = names.filter((name) => /^nvidia\d+$/.test(name)).length
  if (nvidia > 0 || !names.includes('kfd')) return nvidia
  const topology = '/sys/class/kfd/kfd/topology/nodes'
  return machine.list(topology).filter((node) => Number(machine.read(`${topology}/${node}/gpu_id`) ?? 0) > 0).length
}

const count = (text: string | undefined): number | null => (/^\s*\d+\s*$/.test(text ?? '') ? Number(text) : null)

const positive = (text: string | undefined): number | null => {
  const value = count(text)
  return value !== null && value > 0 ? value : null
}

function orNone<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    // what this system does not have says nothing
    return undefined
  }
}
