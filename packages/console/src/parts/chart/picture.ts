/**
 * A chart to take along: SVG, and PNG made of it, on white with its title, axes and names, for papers and issues; and the
 * numbers as CSV.
 */
import { number } from '../../format.ts'
import { along } from './paint.ts'
import { wholeOf } from './plot.ts'
import { eachSeen, type Line, type Range, type Series, type View } from './series.ts'

export interface Picture {
  readonly title: string
  readonly xTitle: string
  readonly series: readonly Series[]
  readonly isLogX: boolean
  readonly isLogY: boolean
  /** The part that is shown; null is all. */
  readonly view: View | null
}

const [WIDTH, HEIGHT] = [960, 540]
const box = { left: 72, top: 44, right: 220, bottom: 48 }
/** Names beside the picture; the others are counted. */
const NAMED = 24
const SCALE = 2

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The whole document of an SVG. */
export function svgOf({ title, xTitle, series, isLogX, isLogY, view }: Picture): string {
  const shown = series.filter(({ isDim }) => !isDim)
  const { x: xs, y: ys } = view ?? wholeOf(shown, isLogX, isLogY)
  const [width, height] = [WIDTH - box.left - box.right, HEIGHT - box.top - box.bottom]
  const across = along(xs, box.left, width, isLogX)
  const down = along([ys[1], ys[0]], box.top, height, isLogY)
  const ticks = [
    ...ticksOf(xs, isLogX).map(
      (x) =>
        `<path d="M${at(across(x))} ${box.top}v${height}" stroke="#e2e5ea"/><text x="${at(across(x))}" y="${HEIGHT - box.bottom + 18}" text-anchor="middle">${escaped(number(x))}</text>`,
    ),
    ...ticksOf(ys, isLogY).map(
      (y) =>
        `<path d="M${box.left} ${at(down(y))}h${width}" stroke="#e2e5ea"/><text x="${box.left - 8}" y="${at(down(y) + 4)}" text-anchor="end">${escaped(number(y))}</text>`,
    ),
  ]
  const places = { across, down, width }
  const curves = shown.map((one) => {
    const band = one.band
      ? `<path d="${bandOf(one, one.band, xs, places)}" fill="${one.colour}" fill-opacity="0.16"/>`
      : ''
    const raw = one.raw
      ? `<path d="${pathOf({ xs: one.xs, ys: one.raw }, xs, places)}" stroke="${one.colour}" stroke-opacity="0.25"/>`
      : ''
    return `${band}${raw}<path d="${pathOf(one, xs, places)}" stroke="${one.colour}" stroke-width="1.5"/>`
  })
  const names = shown
    .slice(0, NAMED)
    .map(
      ({ name, colour }, index) =>
        `<path d="M${WIDTH - box.right + 16} ${box.top + 6 + index * 18}h16" stroke="${colour}" stroke-width="3"/><text x="${WIDTH - box.right + 40}" y="${box.top + 10 + index * 18}">${escaped(name.slice(0, 28))}</text>`,
    )
  const more =
    shown.length > NAMED
      ? `<text x="${WIDTH - box.right + 40}" y="${box.top + 10 + NAMED * 18}">and ${shown.length - NAMED} more</text>`
      : ''
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="12" fill="#171b22"><rect width="100%" height="100%" fill="#fff"/><text x="${box.left}" y="26" font-size="15" font-weight="600">${escaped(title)}</text><g>${ticks.join('')}</g><clipPath id="box"><rect x="${box.left}" y="${box.top}" width="${width}" height="${height}"/></clipPath><g fill="none" stroke-linejoin="round" clip-path="url(#box)">${curves.join('')}</g><path d="M${box.left} ${box.top}v${height}h${width}" fill="none" stroke="#59626f"/><text x="${box.left + width / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(xTitle)}</text><g>${names.join('')}${more}</g></svg>`
}

/** The same as pixels, twice as many as it says that it is wide, for screens and paper. */
export async function pngOf(picture: Picture): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml,${encodeURIComponent(svgOf(picture))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH * SCALE
  canvas.height = HEIGHT * SCALE
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  const bytes = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
  if (bytes === null) throw new Error('The browser has made no picture of it.')
  return bytes
}

/** The numbers that are drawn, a line a point; with them what was before a curve was smoothed, and the edges of its band. */
export function csvOf({ xTitle, series }: Pick<Picture, 'xTitle' | 'series'>): string {
  const shown = series.filter(({ isDim }) => !isDim)
  const [hasRaw, hasBand] = [shown.some(({ raw }) => raw), shown.some(({ band }) => band)]
  const heads = ['key', 'name', xTitle, 'value', ...(hasRaw ? ['raw'] : []), ...(hasBand ? ['low', 'high'] : [])]
  const lines = shown.flatMap(({ key, name, xs, ys, raw, band }) => {
    const columns = [xs, ys, ...(hasRaw ? [raw] : []), ...(hasBand ? [band?.low, band?.high] : [])]
    return Array.from(xs, (_, at) => [key, name, ...columns.map((column) => String(column?.[at] ?? ''))])
  })
  return [heads, ...lines].map((line) => line.map(quoted).join(',')).join('\r\n')
}

/** A text that a spreadsheet would calculate begins with an apostrophe, as in the exports of the engine. */
const quoted = (text: string): string => {
  const safe = /^[=+@\t\r]|^-(?!\d|Infinity)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

interface Places {
  readonly across: (x: number) => number
  readonly down: (y: number) => number
  readonly width: number
}

function pathOf(line: Line, range: Range, { across, down, width }: Places): string {
  let path = ''
  let isDown = false
  eachSeen(line, range, width, (x, y) => {
    const [left, top] = [across(x), down(y)]
    if (!Number.isFinite(left) || !Number.isFinite(top)) {
      isDown = false
      return
    }
    path += `${isDown ? 'L' : 'M'}${at(left)} ${at(top)}`
    isDown = true
  })
  return path
}

function bandOf({ xs }: Series, { low, high }: NonNullable<Series['band']>, range: Range, places: Places): string {
  const above = pathOf({ xs, ys: high }, range, places).replaceAll('M', 'L')
  const below = pathOf({ xs, ys: low }, range, places).split(/[ML]/).filter(Boolean).toReversed()
  return `${above.replace('L', 'M')}${below.map((place) => `L${place}`).join('')}Z`
}

const at = (place: number): string => String(Math.round(place * 10) / 10)

/** About six round values of the range; of a logarithmic one the powers of ten, or fractions where they are close. */
export function ticksOf([least, greatest]: Range, isLog: boolean): number[] {
  if (isLog) {
    const powers = [Math.ceil(Math.log10(least)), Math.floor(Math.log10(greatest))] as const
    if (powers[1] - powers[0] >= 1)
      return Array.from({ length: powers[1] - powers[0] + 1 }, (_, index) => 10 ** (powers[0] + index))
  }
  const rough = (greatest - least) / 6
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((part) => part * power).find((part) => part >= rough) ?? rough
  const first = Math.ceil(least / step)
  return Array.from({ length: Math.floor(greatest / step) - first + 1 }, (_, index) => (first + index) * step)
}
