/** What `npm run dev` does: a made-up device, and the command that is given, for as long as that runs. */
import { spawn } from 'node:child_process'

import { startDevice } from './device.mjs'

const device = await startDevice()
const [command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
// Ctrl-C reaches the command as well, which ends in its own time
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.once('error', (error) => console.error(`"${command}" does not start (${error.message}); run npm install`))
child.once('close', (code) => {
  device.close()
  process.exit(code ?? 1)
})
