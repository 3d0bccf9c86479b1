/**
 * One setting of the service: where it comes from, what it may be, and its line in the settings reference.
 * @module
 */

/** What a setting's values are. `parse` reads the text of an environment variable, `accepts` checks any value. */
export interface Kind<T> {
  /** How a value must look, to follow "use": `a whole number from 0 to 65535`. */
  readonly expected: string
  /** As TypeScript writes it, for the declaration of the options. */
  readonly type: string
  readonly parse: (text: string) => unknown
  readonly accepts: (value: unknown) => value is T
}

/** A setting; `T` includes `null` where "not set" is a value of its own. */
export interface Setting<T = unknown> extends Kind<T> {
  /** Name of its environment variable; `null` when only code can set it. */
  readonly env: string | null
  /** One sentence for the reference, with the unit. */
  readonly about: string
  /** The value when nothing is set; a function looks at the machine or at `NODE_ENV`. */
  readonly initial: T | ((env: Environment) => T)
  /** The default in words, where {@link Setting.initial} does not say it. */
  readonly initially: string | null
  /** Never shown in messages and logs. */
  readonly secret: boolean
}

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A setting that is not usable, in one sentence that names it, its value and what to use instead. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConfigError'
  }
}

type Facts<T> = Pick<Setting<T>, 'env' | 'about' | 'initial'> & Partial<Pick<Setting<T>, 'initially' | 'secret'>>

/** A setting of a kind. */
export const setting = <T>(kind: Kind<T>, facts: Facts<NoInfer<T>>): Setting<T> => ({
  initially: null,
  secret: false,
  ...kind,
  ...facts,
})

/** A setting of a kind that is `null` while it is not set. */
export const optional = <T>(kind: Kind<T>, facts: Omit<Facts<T>, 'initial'>): Setting<T | null> =>
  setting<T | null>(
    {
      ...kind,
      type: `${kind.type} | null`,
      accepts: (value): value is T | null => value === null || kind.accepts(value),
    },
    { ...facts, initial: null, initially: facts.initially ?? 'not set' },
  )

/** Non-empty text; `accepts` narrows it further. */
export const text = (expected: string, accepts: (value: string) => boolean = () => true): Kind<string> => ({
  expected,
  type: 'string',
  parse: (raw) => raw,
  accepts: (value): value is string => typeof value === 'string' && value !== '' && accepts(value),
})

/** A whole number within bounds, both included. */
export const integer = (min: number, max: number): Kind<number> => ({
  expected: `a whole number from ${min} to ${max}`,
  type: 'number',
  parse: (raw) => (/^-?\d+$/.test(raw) ? Number(raw) : raw),
  accepts: (value): value is number => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
})

/** Several texts, separated by commas in the environment; `expected` says what each must be. */
export const list = (expected: string, accepts: (value: string) => boolean): Kind<readonly string[]> => ({
  expected,
  type: 'readonly string[]',
  parse: (raw) => raw.split(',').flatMap((value) => value.trim() || []),
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) && value.every((item) => typeof item === 'string' && accepts(item)),
})

/** `true` or `false`; `1` and `0` in the environment too. */
export const flag: Kind<boolean> = {
  expected: 'true or false',
  type: 'boolean',
  parse: (raw) => ({ true: true, '1': true, false: false, '0': false })[raw.toLowerCase()] ?? raw,
  accepts: (value): value is boolean => typeof value === 'boolean',
}

/** One of several words. */
export const choice = <const W extends string>(...words: readonly W[]): Kind<W> => ({
  expected: words.join(', '),
  type: words.map((word) => `'${word}'`).join(' | '),
  parse: (raw) => raw,
  accepts: (value): value is W => words.some((word) => word === value),
})

/** The value of a setting: the option, else the variable, else the default. Throws {@link ConfigError}. */
export function readSetting<T>(name: string, setting: Setting<T>, option: unknown, env: Environment): T {
  if (option !== undefined) return accepted(`the option ${name}`, setting, option)
  // a variable that is set to nothing counts as not set, as in a compose file
  const raw = setting.env === null ? '' : (env[setting.env]?.trim() ?? '')
  if (setting.env !== null && raw !== '') return accepted(setting.env, setting, setting.parse(raw))
  return typeof setting.initial === 'function' ? (setting.initial as (env: Environment) => T)(env) : setting.initial
}

function accepted<T>(source: string, setting: Setting<T>, value: unknown): T {
  if (setting.accepts(value)) return value
  const shown = setting.secret ? 'not usable' : JSON.stringify(value)
  throw new ConfigError(`${source} is ${shown}: use ${setting.expected}`)
}

/** Whether a text is a URL of one of these protocols. */
export const isUrlOf = (protocols: readonly string[]) => (value: string) =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol)

/** Whether a text is an http or https URL. */
export const isWeb = isUrlOf(['http:', 'https:'])

/** Whether a path can be put behind a URL. */
export const isPlace = (value: string): boolean => isWeb(value) && !/[?#]/.test(value) && new URL(value).username === ''
