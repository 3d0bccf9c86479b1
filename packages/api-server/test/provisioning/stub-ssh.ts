/** An `ssh` that is first on a PATH: it records what it is given, and answers as a login node with Slurm does. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A job is a folder with the id of its request, and a file for each task that says its state. */
const script = `#!/bin/sh
at=$STUB_SSH
call=$(mktemp -d "$at/calls/$(date +%s%N)-XXXXXX")
printf '%s\\0' "$@" > "$call/argv"
cat > "$call/stdin"
env > "$call/env"
while [ "$1" != -- ]; do shift; done
shift 2
[ -e "$at/hangs" ] && exec sleep 3600
case $1 in *sbatch|*scancel) while [ -e "$at/late" ]; do sleep 0.05; done ;; esac
if [ -e "$at/denies" ]; then cat "$at/denies" >&2; exit 1; fi
if [ -e "$at/unreachable" ]; then cat "$at/unreachable" >&2; exit 255; fi
case $1 in
  *sbatch)
    if [ -e "$at/refuses" ]; then cat "$at/refuses" >&2; exit 1; fi
    id=$(($(ls "$at/ids" | wc -l) + 101))
    : > "$at/ids/$id"
    mkdir "$at/jobs/$id"
    sed -n 's/^#SBATCH --comment=service://p' "$call/stdin" > "$at/jobs/$id/request"
    for task in $(seq $(sed -n 's/^#SBATCH --array=1-//p' "$call/stdin")); do echo PENDING > "$at/jobs/$id/$task"; done
    echo 'Welcome to the cluster'
    if [ -e "$at/loses" ]; then exit 255; fi
    echo "$id" ;;
  *squeue)
    for task in "$at"/jobs/*/[0-9]*; do
      [ -e "$task" ] || continue
      job=$(dirname "$task")
      echo "$(basename "$job")_$(basename "$task")|service:$(cat "$job/request")|$(cat "$task")"
    done
    echo '99|someone else|RUNNING' ;;
  *scancel)
    shift
    states=
    if [ "$1" = --state=PENDING ]; then states=PENDING; shift; fi
    for id; do
      [ -e "$at/jobs/$id" ] || { echo 'scancel: error: Invalid job id specified' >&2; exit 1; }
      for task in "$at/jobs/$id"/[0-9]*; do
        if [ -z "$states" ] || [ "$(cat "$task")" = "$states" ]; then rm "$task"; fi
      done
      ls "$at/jobs/$id"/[0-9]* > /dev/null 2>&1 || rm -r "$at/jobs/$id"
    done ;;
  *) echo "$1: command not found" >&2; exit 127 ;;
esac
`

/** One call of it. */
export interface SshCall {
  readonly argv: readonly string[]
  readonly stdin: string
  readonly env: string
}

/** A job of the stub. */
export interface StubJob {
  readonly job: string
  readonly request: string
  /** States of the tasks. */
  readonly tasks: readonly string[]
}

/** A folder with the program and what it knows. */
export class StubSsh implements AsyncDisposable {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(): Promise<StubSsh> {
    const folder = await mkdtemp(join(tmpdir(), 'stub-ssh-'))
    for (const name of ['bin', 'calls', 'ids', 'jobs']) await mkdir(join(folder, name))
    await writeFile(join(folder, 'bin', 'ssh'), script)
    await chmod(join(folder, 'bin', 'ssh'), 0o755)
    return new StubSsh(folder)
  }

  /** The environment of an engine that finds it. */
  get env(): Record<string, string> {
    return { PATH: `${join(this.#folder, 'bin')}:${process.env['PATH']}`, STUB_SSH: this.#folder }
  }

  /** What it was called with, in order. */
  async calls(): Promise<SshCall[]> {
    const folder = join(this.#folder, 'calls')
    const read = (call: string, part: string): Promise<string> =>
      readFile(join(folder, call, part), 'utf8').catch(() => '')
    return Promise.all(
      (await readdir(folder)).toSorted().map(async (call) => ({
        argv: (await read(call, 'argv')).split('\0').slice(0, -1),
        stdin: await read(call, 'stdin'),
        env: await read(call, 'env'),
      })),
    )
  }

  /** The jobs that are in its queue. */
  async jobs(): Promise<StubJob[]> {
    const jobs = await readdir(join(this.#folder, 'jobs'))
    return Promise.all(
      jobs.toSorted().map(async (job) => {
        const folder = join(this.#folder, 'jobs', job)
        const tasks = (await readdir(folder)).filter((name) => name !== 'request')
        const read = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim()
        return { job, request: await read('request'), tasks: await Promise.all(tasks.toSorted().map(read)) }
      }),
    )
  }

  /** Tasks of a job begin to execute. */
  async run(job: string, ...tasks: readonly number[]): Promise<void> {
    for (const task of tasks) await writeFile(join(this.#folder, 'jobs', job, String(task)), 'RUNNING\n')
  }

  /** A job ends by itself. */
  async end(job: string): Promise<void> {
    await rm(join(this.#folder, 'jobs', job), { recursive: true })
  }

  /**
   * How it behaves from now on; `null` is well again. `refuses` takes no job, `denies` refuses everything, `loses` takes a
   * job and does not say so, `late` hands in and cancels when it is well again.
   */
  async behave(
    how: 'refuses' | 'denies' | 'unreachable' | 'hangs' | 'late' | 'loses' | null,
    words = '',
  ): Promise<void> {
    for (const each of ['refuses', 'denies', 'unreachable', 'hangs', 'late', 'loses'])
      await rm(join(this.#folder, each), { force: true })
    if (how !== null) await writeFile(join(this.#folder, how), `${words}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}
