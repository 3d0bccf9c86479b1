import { type EngineFlags, startEngine, untilStopped } from '../engine.ts'

interface ServeFlags extends EngineFlags {
  readonly flows?: string
}

/** `service serve`: everything on standard output is a line of JSON, at every log level. */
export async function serve(flags: ServeFlags): Promise<void> {
  const flows = flags.flows ?? process.env.SERVICE_FLOWS
  const engine = await startEngine(flags, flows === undefined ? {} : { flows })
  // Who reads that the engine listens may end it at once.
  const stopped = untilStopped(engine, () => log('Stopping ...'))
  const { email, password } = engine.service.signIn
  if (password !== null) log(`first superuser: ${email}, password ${password} (shown this once)`)
  log(`flow-service listens at ${engine.baseUrl}`)
  await stopped
  log('Stopped.')
  process.exit()
}

/** As the engine's own log at the level "info". */
const log = (msg: string): void => console.log(JSON.stringify({ level: 30, time: Date.now(), msg }))
