/** From a raw CSV file to a daily table, a chart and a warning list; files travel as artifacts. */
import { batchFlow, input, python, stage, t } from '@flow-service/flow-sdk'
import * as z from 'zod'

/** Drops lines that are no readings, and tells how many. */
export const clean = python('clean', {
  file: './clean.py',
  in: { raw: t.artifact },
  out: { rows: t.artifact, dropped: t.int },
})

const day = z.object({ day: z.string(), mean: z.number(), most: z.number() })

/** The mean and the highest reading of each day. */
export const daily = stage('daily', {
  in: { rows: t.artifact },
  out: { days: t.json(z.array(day)) },
  async run({ rows }, ctx) {
    const values = new Map<string, number[]>()
    for (const line of new TextDecoder()
      .decode(await ctx.loadArtifact(rows))
      .trim()
      .split('\n')) {
      const [at = '', value = ''] = line.split(',')
      const list = values.get(at.slice(0, 10)) ?? []
      values.set(at.slice(0, 10), [...list, Number(value)])
    }
    const mean = (list: number[]) => Math.round((100 * list.reduce((a, b) => a + b, 0)) / list.length) / 100
    return { days: [...values].map(([name, list]) => ({ day: name, mean: mean(list), most: Math.max(...list) })) }
  },
})

/** A bar for each day. */
export const chart = stage('chart', {
  in: { days: t.json(z.array(day)) },
  out: { picture: t.image },
  async run({ days }, ctx) {
    const bars = days.map(
      ({ mean }, at) => `<rect x="${20 * at}" y="${100 - mean}" width="16" height="${mean}" fill="teal"/>`,
    )
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${20 * days.length} 100">${bars.join('')}</svg>`
    return { picture: await ctx.saveArtifact(svg, { name: 'daily.svg', mediaType: 'image/svg+xml' }) }
  },
})

/** The days on which a reading was above the limit. */
export const warnings = stage('warnings', {
  in: { days: t.json(z.array(day)), limit: t.float },
  out: { hot: t.json(z.array(z.string())) },
  run: ({ days, limit }) => ({ hot: days.filter(({ most }) => most > limit).map((item) => item.day) }),
})

export const readings = batchFlow('readings', { raw: t.artifact, limit: input(t.float, 30) }, (p, use) => {
  const { rows, dropped } = use(clean, { raw: p.raw })
  const { days } = use(daily, { rows })
  const { picture } = use(chart, { days })
  const { hot } = use(warnings, { days, limit: p.limit })
  return { picture, hot, dropped }
})
