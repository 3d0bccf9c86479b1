import { giveBackAtRest } from '../engine-memory.ts'
import { type Engine, type EngineFlags, startEngine, untilStopped } from '../engine.ts'

interface ServeFlags extends EngineFlags {
  readonly flows?: string
}

/** `service serve`: everything on standard output is a line of JSON, at every log level. */
export async function serve(flags: ServeFlags): Promise<void> {
  const flows = flags.flows ?? process.env.SERVICE_FLOWS
  const engine = await startEngine(flags, flows === undefined ? {} : { flows })
  // Who reads that the engine listens may end it at once.
  const stopped = untilStopped(
    engine,
    () => log('Stopping ...'),
    process.stdin.isTTY ? null : () => void reload(engine),
  )
  giveBackAtRest()
  const { email, password } = engine.service.signIn
  if (password !== null) log(`first superuser: ${email}, password ${password} (shown this once)`)
  log(`flow-service listens at ${engine.baseUrl}`)
  await stopped
  log('Stopped.')
  process.exit()
}

/** A service without a terminal is told by SIGHUP that a file has changed; with one, the terminal is gone. */
async function reload({ service }: Engine): Promise<void> {
  try {
    await service.reloadProvisioners()
    log('provisioners.json was read again')
  } catch (error) {
    log(`provisioners.json stays as it was: ${(error as Error).message}`, 50)
  }
}

/** As the engine's own log; its level is "info" unless given. */
const log = (msg: string, level = 30): void => console.log(JSON.stringify({ level, time: Date.now(), msg }))
