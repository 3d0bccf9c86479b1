import { type EngineFlags, startEngine, untilStopped } from '../engine.ts'

interface ServeFlags extends EngineFlags {
  readonly flows?: string
}

/** `service serve`: logs go to standard output as JSON lines. */
export async function serve(flags: ServeFlags): Promise<void> {
  const flows = flags.flows ?? process.env.SERVICE_FLOWS
  const engine = await startEngine(flags, flows === undefined ? {} : { flows })
  // Who reads that the engine listens may end it at once.
  const stopped = untilStopped(engine)
  const { email, password } = engine.service.signIn
  if (password !== null) console.log(`first superuser: ${email}, password ${password} (shown this once)`)
  console.log(`flow-service listens at ${engine.baseUrl}`)
  await stopped
  process.exit()
}
