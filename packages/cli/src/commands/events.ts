import { type EventFrame, frameKindSchema } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { follow } from '../follow.ts'
import { progressText } from '../module-progress.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine } from '../table.ts'
import { bold, counted, dim, red, shortTime, status } from '../terminal.ts'

interface EventFlags extends ClientFlags {
  readonly flow?: string
  readonly type?: string
  readonly count?: number
}

const types = ['snapshot', 'flow', 'node', 'value', 'health', 'run', 'log', 'modules', 'error'] as const

/** `service events`. */
export async function followEvents(flags: EventFlags): Promise<void> {
  const wanted = flags.type?.split(',').map((type) => type.trim())
  const unknown = wanted?.find((type) => !types.some((known) => known === type))
  if (unknown !== undefined) {
    throw new CommandFailure(2, `there are no events of type "${unknown}"; the types are ${types.join(', ')}`)
  }
  await follow(connect(flags), {
    flows: flags.flow?.split(',').map((name) => name.trim()),
    kinds: wanted?.includes('log') ? frameKindSchema.options : undefined,
    count: flags.count,
    show(frame) {
      if (wanted && !wanted.includes(frame.type)) return 0
      console.log(flags.json ? JSON.stringify(frame) : eventLine(frame))
      return 1
    },
  })
}

/** An event on one line: time, type, what it is about. */
export function eventLine(frame: EventFrame): string {
  return `${dim(shortTime(frame.ts))}  ${frame.type.padEnd(8)}  ${about(frame)}`.trimEnd()
}

function about(frame: EventFrame): string {
  switch (frame.type) {
    case 'snapshot': {
      const active = frame.flows.filter((flow) => flow.status === 'active')
      return `${counted(frame.flows.length, 'flow')}, ${active.length} active, ${counted(frame.runs.length, 'unfinished run')}, engine ${frame.engine_version}`
    }
    case 'flow':
      return `${bold(frame.name)} is ${status(frame.status)}, version ${frame.version}${frame.held > 0 ? `, holds ${frame.held}` : ''}`
    case 'node':
      return `${bold(`${frame.flow}.${frame.node}`)} ${frame.cached ? `${status('ok')} (cached)` : status(frame.status)}${executed(frame.executions)}${inRun(frame.run)}${frame.error ? red(`: ${oneLine(frame.error.message)}`) : ''}`
    case 'value':
      return `${bold(frame.message)} = ${oneLine(frame.value)}${frame.step === null ? '' : dim(` step ${frame.step}`)}${inRun(frame.run)}`
    case 'health':
      return `${bold(`${frame.flow}.${frame.node}`)} is ${status(frame.status)}${frame.message === null ? '' : `: ${oneLine(frame.message)}`}`
    case 'run':
      return `${frame.run.id} of ${bold(frame.run.flow)} ${status(frame.run.status)}${frame.run.error ? red(`: ${oneLine(frame.run.error.message)}`) : ''}`
    case 'log':
      return `${bold(`${frame.flow}.${frame.node}`)}${inRun(frame.run)}: ${oneLine(frame.text.trimEnd())}`
    case 'modules':
      return `modules are ${status(frame.state)}${frame.progress === null ? '' : `: ${progressText(frame.progress)}`}${frame.error === null ? '' : red(`: ${oneLine(frame.error)}`)}`
    case 'error':
      return red(`${frame.code}: ${oneLine(frame.detail)}`)
  }
}

const executed = (times: number | null): string =>
  times === null || times < 2 ? '' : dim(` after ${counted(times, 'execution')}`)

const inRun = (run: string | null): string => (run === null ? '' : dim(` run ${run}`))
