/** What is on the page to take along: a picture, the numbers, the address. */
import { type Picture, csvOf, savePng, saveSvg } from '../parts/chart/picture.ts'
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
  return (
    <span class="take" role="group" aria-label="Take along">
      <button onClick={() => void share().catch(sayFault)}>Copy link</button>
      <button onClick={() => void savePng(file, picture()).catch(sayFault)}>PNG</button>
      <button onClick={() => saveSvg(file, picture())}>SVG</button>
      <button onClick={() => save(`${file}.csv`, new Blob([csvOf(picture())], { type: 'text/csv' }))}>CSV</button>
    </span>
  )
}
