/**
 * Rules on what a class declares: its contract, its settings, its credentials.
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import type * as z from 'zod'

import { nodeTypeOf } from '../../connector-node.ts'
import { filledSettings } from '../filled-settings.ts'
import { must, type Rule, textOf } from './rule.ts'
import type { Subject } from './subject.ts'

const contract: Rule = {
  title: 'declares its contract itself, settings on those of all connectors, and ports with dtypes',
  async run({ Class, type, schema }) {
    nodeTypeOf(type, Class)
    const { data } = (schema.shape['poll_interval'] as z.ZodType).safeParse(undefined)
    must(
      typeof data === 'number',
      'the setting "poll_interval" has no default: keep that of ConnectorParams, or give one with .default()',
    )
  },
}

const credentials: Rule = {
  title: 'marks its credentials, so that they are stored as secrets',
  async run({ credentials }) {
    const { unmarked } = credentials
    must(
      unmarked.length === 0,
      `${quoted(unmarked)} looks like a credential, which every reader of the flow would see: declare it with secret(), ` +
        'or give it another name',
    )
  },
}

const defaults: Rule = {
  title: 'has defaults that its own settings take',
  async run(subject) {
    const { schema, form } = subject
    for (const [name, property] of Object.entries(form.properties ?? {})) {
      if (typeof property !== 'object' || !('default' in property)) continue
      const { [name]: _own, ...others } = subject.params
      const { data: left } = schema.safeParse(filled(subject, others))
      const given = schema.safeParse(filled(subject, { ...others, [name]: property.default }))
      const shown = JSON.stringify(property.default)
      must(
        given.success,
        () => `the default of "${name}" is ${shown}, which the setting refuses: ${reasonOf(given.error)}`,
      )
      must(
        isDeepStrictEqual(left?.[name], given.data[name]),
        `"${name}" left out is not the same as its default, ${shown}`,
      )
    }
  },
}

const roundTrip: Rule = {
  title: 'takes settings as a flow keeps them, and gets them parsed, with the values of secrets',
  async run(subject) {
    const { params, schema } = subject
    const stored = JSON.parse(JSON.stringify(params)) as typeof params
    must(isDeepStrictEqual(stored, params), '"params" are no JSON: give them as they stand in a flow')
    const before = schema.safeParse(params)
    must(before.success, () => `"params" are refused: ${reasonOf(before.error)}`)
    const expected = schema.safeParse(filled(subject, { ...subject.settings() }))
    must(expected.success, () => `"params" are refused with the values of secrets: ${reasonOf(expected.error)}`)
    const isParsed = (config: unknown): boolean => isDeepStrictEqual(config, expected.data)
    let wasParsed = false
    const node = await subject.mount({ prepare: ({ config }) => void (wasParsed = isParsed(config)) })
    must(wasParsed, 'the constructor changes config: it is what the settings give')
    await subject.exercise(node)
    must(isParsed(node.connector.config), 'config is changed while the node works: copy what you change')
  },
}

/** One of these is wrong for every setting that knows what it takes. */
const misfits = [{}, [], 'text', -1.5, true, null]

const badSettings: Rule = {
  title: 'refuses bad settings',
  async run(subject) {
    const { schema, form, params, fixtures } = subject
    for (const [name, property] of Object.entries(form.properties ?? {})) {
      const takesAnything = typeof property !== 'object' || Object.keys(property).every((word) => notes.has(word))
      if (takesAnything) continue
      must(
        misfits.some((value) => !schema.safeParse({ ...params, [name]: value }).success),
        `the setting "${name}" takes everything, ${JSON.stringify(misfits)} among it: without .catch() and z.coerce a wrong ` +
          'value is an error that the author of the flow sees',
      )
    }
    must(
      !schema.safeParse({ ...params, poll_interval: -1 }).success,
      'the setting "poll_interval" takes -1: keep the .min(0) of ConnectorParams',
    )
    for (const bad of fixtures.badSettings ?? [])
      must(
        !schema.safeParse(filled(subject, { ...params, ...bad })).success,
        () => `settings with ${JSON.stringify(bad)} are taken: refuse them in Params`,
      )
  },
}

const notes: ReadonlySet<string> = new Set(['default', 'description', 'title', 'examples', 'deprecated'])

const filled = (subject: Subject, settings: Subject['params']): Subject['params'] =>
  filledSettings(settings, subject.secrets())
const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')
const reasonOf = (error: { issues: { path: PropertyKey[]; message: string }[] } | undefined): string =>
  error?.issues.map(({ path, message }) => `"${path.join('.')}": ${message}`).join('; ') ?? textOf(error)

/** In the order of their tests. */
export const settingsRules: readonly Rule[] = [contract, credentials, defaults, roundTrip, badSettings]
