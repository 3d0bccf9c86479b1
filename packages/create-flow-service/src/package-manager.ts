/**
 * The package manager by which somebody works, and how its commands are typed.
 * @module
 */

/** How scripts and commands of packages are run; npm is what texts are written for. */
const WORDS = {
  npm: null,
  pnpm: { run: 'pnpm', exec: 'pnpm exec' },
  yarn: { run: 'yarn', exec: 'yarn' },
  // "bun test" is a test runner of its own
  bun: { run: 'bun run', exec: 'bunx' },
} as const

/** One that runs `create` packages. */
export type PackageManager = keyof typeof WORDS

/** The one that has started this process, as it says of itself; npm when none did. */
export function packageManager(env: NodeJS.ProcessEnv = process.env): PackageManager {
  const [name = ''] = (env.npm_config_user_agent ?? '').split('/')
  return Object.hasOwn(WORDS, name) ? (name as PackageManager) : 'npm'
}

/** A text with commands of npm, as they are typed for another package manager. */
export function typedFor(manager: PackageManager, text: string): string {
  const words = WORDS[manager]
  if (words === null) return text
  return text
    .replaceAll(/\bnpm install\b/g, `${manager} install`)
    .replaceAll(/\bnpm (?:run )?(\w+)(?: --(?= ))?/g, `${words.run} $1`)
    .replaceAll(/\bnpx\b/g, words.exec)
}
