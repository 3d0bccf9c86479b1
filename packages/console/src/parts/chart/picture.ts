/**
 * A chart to take along: SVG, and PNG made of it, on white with its title, axes and names, for papers and issues; and the
 * numbers as CSV. All is built as text, and offered as a file.
 */
import { number } from '../../format.ts'
import { save } from '../download.ts'
import { along } from './paint.ts'
import { eachSeen, type Line, type Range, rangeOf, type Series, widened } from './series.ts'

export interface Picture {
  readonly title: string
  readonly xTitle: string
  readonly series: readonly Series[]
  readonly isLogX: boolean
  readonly isLogY: boolean
}

const [WIDTH, HEIGHT] = [960, 540]
const box = { left: 72, top: 44, right: 220, bottom: 48 }
/** Names beside the picture; the others are counted. */
const NAMED = 24
const SCALE = 2

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The whole document of an SVG. */
export function svgOf({ title, xTitle, series, isLogX, isLogY }: Picture): string {
  const shown = series.filter(({ isDim }) => !isDim)
  const xs = rangeOf(
    shown.map((one) => one.xs),
    isLogX,
  )
  const ys = widened(
    rangeOf(
      shown.flatMap(({ ys: own, band }) => (band ? [own, band.low, band.high] : [own])),
      isLogY,
    ),
    isLogY,
  )
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
  const curves = shown.map((one) => {
    const line = pathOf(one, xs, { across, down, width })
    const band = one.band
      ? `<path d="${bandOf(one, one.band, xs, { across, down, width })}" fill="${one.colour}" fill-opacity="0.16" stroke="none"/>`
      : ''
    return `${band}<path d="${line}" stroke="${one.colour}" stroke-width="1.5" stroke-linejoin="round"/>`
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
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="12" fill="#171b22"><rect width="100%" height="100%" fill="#fff"/><text x="${box.left}" y="26" font-size="15" font-weight="600">${escaped(title)}</text><g>${ticks.join('')}</g><g fill="none">${curves.join('')}</g><path d="M${box.left} ${box.top}v${height}h${width}" fill="none" stroke="#59626f"/><text x="${box.left + width / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(xTitle)}</text><g>${names.join('')}${more}</g></svg>`
}

export const saveSvg = (name: string, picture: Picture): void =>
  save(`${name}.svg`, new Blob([svgOf(picture)], { type: 'image/svg+xml' }))

export async function savePng(name: string, picture: Picture): Promise<void> {
  const image = new Image()
  image.src = `data:image/svg+xml,${encodeURIComponent(svgOf(picture))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH * SCALE
  canvas.height = HEIGHT * SCALE
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  const bytes = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
  if (bytes === null) throw new Error('The browser has made no picture of it.')
  save(`${name}.png`, bytes)
}

/** A line a point: the key and name of its curve, x and y. */
export const csvOf = (xTitle: string, series: readonly Series[]): string =>
  [
    ['run', 'name', xTitle, 'value'],
    ...series.flatMap(({ key, name, xs, ys }) =>
      Array.from(xs, (x, index) => [key, name, String(x), String(ys[index])]),
    ),
  ]
    .map((line) => line.map(quoted).join(','))
    .join('\r\n')

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
