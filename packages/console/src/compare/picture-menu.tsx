/** What is on the page to take along: a picture, the numbers, the address. */
import { csvOf, type Picture, pngOf, svgOf } from '../parts/chart/picture.ts'
import { save } from '../parts/download.ts'
import { say, sayFault } from '../parts/toast.tsx'
import { settle } from './shown.ts'

export function PictureMenu({ name, picture }: { name: string; picture: () => Picture }) {
  const file = name.replaceAll(/[^\w.-]+/g, '-')
  const share = async (): Promise<void> => {
    settle()
    // a page that is not served safely (plain http from afar) has no clipboard: its address is in the bar
    if (!navigator.clipboard) throw new Error('This browser lets no page copy here: take the address of the page.')
    await navigator.clipboard.writeText(location.href)
    say('The link shows exactly this')
  }
  const offer = (ending: string, bytes: Blob): void => save(`${file}.${ending}`, bytes)
  const savePng = async (): Promise<void> => offer('png', await pngOf(picture()))
  return (
    <span class="take" role="group" aria-label="Take along">
      <button onClick={() => void share().catch(sayFault)}>Copy link</button>
      <button onClick={() => void savePng().catch(sayFault)}>PNG</button>
      <button onClick={() => offer('svg', new Blob([svgOf(picture())], { type: 'image/svg+xml' }))}>SVG</button>
      <button onClick={() => offer('csv', new Blob([csvOf(picture())], { type: 'text/csv' }))}>CSV</button>
    </span>
  )
}
